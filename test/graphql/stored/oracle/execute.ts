import { buildSchema, type DocumentNode, executeSync, type GraphQLResolveInfo, validate } from 'graphql'
import { schemaText } from '../../../../src/graphql/schema.ts'
import {
  accountFields,
  affiliateFields,
  type NotificationRow,
  notificationFields,
  notificationType,
} from './account-fields.ts'
import {
  attemptFields,
  auctionFields,
  executionFields,
  policyFields,
  proposedSolutionFields,
  reportFields,
  solutionFields,
  solutionOrderFields,
} from './auction-fields.ts'
import { type Arguments, columns, type Fields, type GraphqlParams } from './fields.ts'
import {
  debugReportFields,
  foundPriceFields,
  hookCallFields,
  hookFields,
  marketPriceFields,
  orderEventFields,
  orderFields,
  orderMirrorFields,
  orderQuoteFields,
  progressFields,
  standingFields,
} from './order-fields.ts'
import { connectionFields, edgeFields, pageInfoFields, StillRead } from './page.ts'
import { indexedBlockFields, lagFields, metaFields, mirrorStateFields, queryFields } from './query-fields.ts'
import { bookingFields, settlementAmountFields, settlementFields } from './settlement-fields.ts'
import { tokenFields } from './token-fields.ts'
import { tradeFields } from './trade-fields.ts'

/** A schema built from the SDL, without the program's resolvers. */
export const bareSchema = buildSchema(schemaText())

const plain = (...names: string[]) => columns<Record<string, unknown>>(...names)

const types: Record<string, Fields<unknown>> = {
  Account: accountFields,
  Affiliate: affiliateFields,
  AppData: plain('hash', 'document'),
  Auction: auctionFields,
  AuctionReport: reportFields,
  ClearingPrice: plain('token', 'price'),
  DebugReport: debugReportFields,
  EthflowData: plain('refundTxHash', 'userValidTo'),
  ExecutedAmounts: plain('sell', 'buy'),
  ExecutedProtocolFee: plain('token', 'amount', 'policy'),
  Execution: executionFields,
  FoundPrice: foundPriceFields,
  HookCall: hookCallFields,
  IndexedBlock: indexedBlockFields,
  Interaction: plain('target', 'value', 'callData'),
  Interactions: plain('pre', 'post'),
  Lag: lagFields,
  Meta: metaFields,
  MarketPrice: marketPriceFields,
  MirrorState: mirrorStateFields,
  NativePrice: plain('token', 'price'),
  Network: plain('name'),
  OnchainOrderData: plain('sender', 'placementError', 'detail'),
  Order: orderFields,
  OrderEvent: orderEventFields,
  OrderHook: hookFields,
  OrderMirror: orderMirrorFields,
  OrderProgress: progressFields,
  OrderQuote: orderQuoteFields,
  OrderStanding: standingFields,
  PageInfo: pageInfoFields,
  PendingSettlement: plain('auctionId', 'txHash', 'deadlineBlock'),
  Price: plain('decimal', 'numerator', 'denominator'),
  PriceImprovementFeePolicy: policyFields,
  ProposedSolution: proposedSolutionFields,
  ProtocolFee: plain('token', 'amount'),
  Query: queryFields,
  ReferralCode: affiliateFields,
  Settlement: settlementFields,
  SettlementAttempt: attemptFields,
  SettlementBooking: bookingFields,
  SettlementFee: settlementAmountFields,
  Slippage: settlementAmountFields,
  Solution: solutionFields,
  SolutionOrder: solutionOrderFields,
  SolverProposal: plain('solver', 'executedAmounts'),
  Surplus: plain('amount', 'token'),
  SurplusFeePolicy: policyFields,
  Token: tokenFields,
  Trade: tradeFields,
  VolumeFeePolicy: policyFields,
}

function fieldsOf(typeName: string): Fields<unknown> {
  if (typeName.endsWith('Connection')) return connectionFields
  if (typeName.endsWith('Edge')) return edgeFields
  if (typeName.endsWith('Notification')) return notificationFields
  return types[typeName] ?? {}
}

const policyTypes: Record<string, string> = {
  surplus: 'SurplusFeePolicy',
  volume: 'VolumeFeePolicy',
  priceImprovement: 'PriceImprovementFeePolicy',
}

function typeOf(value: unknown): string | undefined {
  const row = value as { $type?: string; kind?: string; type: string }
  return row.$type ?? policyTypes[row.kind ?? ''] ?? notificationType(value as NotificationRow)
}

export const isKnown = (typeName: string, fieldName: string) => fieldName in fieldsOf(typeName)

/**
 * The data of a document, computed field by field from rows; undefined if an empty page is still being read.
 * @throws if the document is invalid
 */
export function interpret(
  document: DocumentNode,
  variableValues: Record<string, unknown>,
  params: GraphqlParams,
  onField?: (info: GraphQLResolveInfo) => void,
): unknown {
  const faults = validate(bareSchema, document)
  if (faults.length > 0) throw new Error(faults.map(({ message }) => message).join('\n'))
  const { data, errors } = executeSync({
    schema: bareSchema,
    document,
    variableValues,
    contextValue: params,
    typeResolver: typeOf,
    fieldResolver: (source, args: Arguments, context: GraphqlParams, info: GraphQLResolveInfo) => {
      onField?.(info)
      const { parentType, fieldName } = info
      const resolve = fieldsOf(parentType.name)[fieldName]
      if (!resolve) throw new TypeError(`nothing is known of ${parentType.name}.${fieldName}`)
      return resolve(source, args, context)
    },
  })
  if (errors?.every(({ originalError }) => originalError instanceof StillRead)) return undefined
  if (errors) throw new AggregateError(errors, errors.map(({ message }) => message).join('\n'))
  return data
}
