import { type GraphQLNamedType, getNamedType } from 'graphql'
import { z } from 'zod'
import { affiliateSwitch, registerAffiliateInput } from '../../graphql/affiliate/affiliate.ts'
import { appDataBody } from '../../graphql/app-data.ts'
import { bundleBody, bundleTransaction } from '../../graphql/bundle-simulation.ts'
import { orderUidsInput, tokenDetailsInput } from '../../graphql/input/fields.ts'
import { cancellationBody, singleCancellationBody } from '../../graphql/order/cancellation.ts'
import { explanationBody, orderInput } from '../../graphql/order/placement.ts'
import { simulationBody } from '../../graphql/order/simulation.ts'
import { quoteBody } from '../../graphql/quote/input.ts'
import {
  channel,
  channels,
  channelUpdateBody,
  confirmationBody,
  deliveries,
  delivery,
  endedChannel,
  pushKeysBody,
  replayBody,
  replayed,
  subscribedChannel,
  subscriptionBody,
  testEvent,
} from '../account/channels.ts'
import { endedSessions, openedSession, signInBody, signInChallenge } from '../account/sessions.ts'
import { affiliate, referralCode, registeredAffiliate, switchedCode } from '../affiliate/affiliates.ts'
import {
  affiliateStatistics,
  referredTrade,
  traderActivity,
  traderStatistics,
} from '../affiliate/statistics.ts'
import { appDataDocument } from '../app-data.ts'
import { accountBalance, accountBalances, heldBalances, watchedTokensInput } from '../balances/balances.ts'
import { balanceSession, watchedTokensOfSession } from '../balances/sessions.ts'
import { solverNotices } from '../competition/solver-notices.ts'
import { pricePoint, slippageTolerance, tokenVolatility, volatilityDetails } from '../market.ts'
import { simulatedBundle, simulatedLog, simulatedTransaction, stateChange } from '../order/bundle.ts'
import { diagnosisEvidence, diagnosisReason, orderDiagnosis } from '../order/diagnosis.ts'
import { feedEvent, feedPage } from '../order/feed.ts'
import { orderSimulation, tenderlyRequest } from '../order/simulation.ts'
import { quotedOrder, quoteResponse } from '../quote.ts'
import { about, aboutText, contracts, contractsText } from '../service.ts'
import { nativePrice, tokenMetadata, totalSurplus } from '../token/native-price.ts'
import { averageAprs, poolAddresses, poolFigures, poolList } from '../token/pools.ts'
import { tokenDetails, tokenDetailsList, tokenHolder, tokenHolders, usdPrice } from '../token/tokens.ts'
import { fieldNamed, inPlainText, variantOf } from './body-schemas.ts'
import type { NamedSchema } from './operation.ts'
import { accountError, orderBookError, problem } from './primitives.ts'
import { graphqlType } from './selected.ts'
import { storedSchemas } from './stored-schemas.ts'

/** Schemas that have a name in the document. */
export const namedSchemas: Readonly<Record<string, NamedSchema>> = {
  ...storedSchemas,
  SolverNotices: { schema: solverNotices, description: 'The newest 100 notices, newest first.' },
  SolverNotice: { schema: solverNotices.element, description: 'The outcome of a solver’s solutions.' },
  OrderDiagnosis: { schema: orderDiagnosis, graphqlType: 'OrderDiagnosis' },
  DiagnosisReason: {
    schema: diagnosisReason,
    graphqlType: 'DiagnosisReason',
    description: 'A further reason, which must be solved too.',
  },
  DiagnosisEvidence: { schema: diagnosisEvidence, graphqlType: 'DiagnosisEvidence' },
  QuoteRequest: {
    schema: quoteBody,
    graphqlType: 'QuoteInput',
    description:
      'The order to quote: exactly one amount that fits the kind, and at most one of validTo and validFor.',
  },
  QuoteResponse: {
    schema: quoteResponse,
    graphqlType: 'QuoteResponse',
    description: 'A quote, and its terms.',
  },
  QuotedOrder: {
    schema: quotedOrder,
    graphqlType: 'QuotedOrder',
    description: 'The order that a quote stands for, ready to be signed with a `feeAmount` of 0.',
  },
  OrderCreation: { schema: orderInput.schema, graphqlType: 'OrderInput' },
  OrderToExplain: {
    schema: explanationBody,
    graphqlType: 'ExplainOrderInput',
    description: 'An order that is not placed, and maybe not signed.',
  },
  OrderToSimulate: {
    schema: simulationBody,
    graphqlType: 'SimulateOrderInput',
  },
  OrderSimulation: {
    schema: orderSimulation,
    graphqlType: 'OrderSimulation',
  },
  TenderlyRequest: {
    schema: tenderlyRequest,
    graphqlType: 'OrderSimulation',
    description: 'The call, in Tenderly’s form.',
  },
  OrderUids: { schema: orderUidsInput, description: 'UIDs of at most 128 orders.' },
  OrderCancellations: {
    schema: cancellationBody,
    description: 'UIDs and the owner’s signature over `OrderCancellations(bytes[] orderUids)`.',
  },
  OrderCancellation: {
    schema: singleCancellationBody,
    description: 'The owner’s signature over `OrderCancellation(bytes orderUid)`, or over a list of one.',
  },
  AppDataDocument: { schema: appDataDocument, description: 'A document, byte for byte.' },
  AppDataUpload: { schema: appDataBody, description: 'A document to be stored.' },
  NativePrice: { schema: nativePrice, description: 'The price of a token in the native coin.' },
  TokenMetadata: {
    schema: tokenMetadata,
    graphqlType: 'Token',
    description: 'Data of the auctions about a token.',
  },
  TotalSurplus: {
    schema: totalSurplus,
    graphqlType: 'Account',
    description: 'The surplus of all trades of an account over their limit prices.',
  },
  Bundle: { schema: bundleBody, description: 'Transactions, each on the state after the previous one.' },
  BundleTransaction: {
    schema: bundleTransaction,
    graphqlType: 'BundleTransactionInput',
  },
  SimulatedBundle: { schema: simulatedBundle, description: 'The result of each transaction.' },
  SimulatedTransaction: {
    schema: simulatedTransaction,
    graphqlType: 'SimulatedTransaction',
    description: 'The result of a transaction; differences are relative to the state before the bundle.',
  },
  SimulatedLog: { schema: simulatedLog, graphqlType: 'SimulatedLog' },
  StateChange: { schema: stateChange, description: 'Storage of an account that would change.' },
  SlippageTolerance: { schema: slippageTolerance, description: 'The slippage to allow in a market.' },
  VolatilityDetails: { schema: volatilityDetails, description: 'The volatility of a market’s tokens.' },
  TokenVolatility: { schema: tokenVolatility, description: 'The volatility of a token’s price.' },
  UsdPricePoint: { schema: pricePoint, description: 'The price of a token at a time.' },
  UsdPrice: { schema: usdPrice, description: 'The price of a token in US dollars.' },
  AccountBalance: {
    schema: accountBalance,
    description: 'A balance, and the part that the vault relayer may take.',
  },
  AccountBalances: { schema: accountBalances, graphqlType: 'BalancesUpdate' },
  WatchedTokens: { schema: watchedTokensInput, description: 'Up to 1,500 tokens.' },
  WatchedTokensOfSession: {
    schema: watchedTokensOfSession,
    description: 'The tokens that a session follows: at least one, by contract or by list.',
  },
  BalanceSession: { schema: balanceSession, description: 'A session that follows balances.' },
  HeldBalances: { schema: heldBalances, description: 'The balances of an account above zero.' },
  TokenHolder: { schema: tokenHolder, graphqlType: 'TokenHolder' },
  TokenHolders: { schema: tokenHolders, description: 'The largest holders, largest first.' },
  TokenDetails: {
    schema: tokenDetails,
    graphqlType: 'Token',
    description: 'Metadata from the contract of a token.',
  },
  TokenDetailsList: { schema: tokenDetailsList, description: 'The addresses that are tokens.' },
  TokenAddresses: { schema: tokenDetailsInput, description: 'Up to 100 tokens.' },
  About: { schema: about, description: aboutText },
  Contracts: { schema: contracts, description: contractsText },
  PoolFigures: { schema: poolFigures, description: 'The figures of a pool.' },
  PoolList: { schema: poolList, description: 'Pools, largest value first.' },
  PoolAddresses: { schema: poolAddresses, description: 'Up to 500 pools.' },
  AverageAprs: { schema: averageAprs, description: 'Per cent a year by project.' },
  AffiliateRegistration: {
    schema: registerAffiliateInput.schema,
    graphqlType: 'RegisterAffiliateInput',
  },
  RegisteredAffiliate: {
    schema: registeredAffiliate,
    graphqlType: 'Affiliate',
    description: 'A code that was bound.',
  },
  Affiliate: {
    schema: affiliate,
    graphqlType: 'Affiliate',
    description: 'A wallet that brings traders. Amounts are US dollars.',
  },
  ReferralCode: {
    schema: referralCode,
    graphqlType: 'ReferralCode',
    description: 'A code as a trader sees it.',
  },
  AffiliateSwitch: { schema: affiliateSwitch, description: 'The state of a code.' },
  SwitchedCode: { schema: switchedCode, graphqlType: 'Affiliate', description: 'A code that was switched.' },
  AffiliateStatistics: {
    schema: affiliateStatistics,
    graphqlType: 'AffiliateStatistics',
    description: 'The earnings of a wallet’s code, in US dollars.',
  },
  TraderStatistics: {
    schema: traderStatistics,
    graphqlType: 'TraderStatistics',
    description: 'The earnings of a trader’s own trades, in US dollars.',
  },
  TraderActivity: { schema: traderActivity, description: 'A trader’s trades that name a code.' },
  ReferredTrade: {
    schema: referredTrade,
    graphqlType: 'ReferredTrade',
    description: 'A trade, and its eligible volume.',
  },
  Channel: {
    schema: channel,
    graphqlType: 'Channel',
  },
  Channels: { schema: channels, description: 'Channels that have not ended, oldest first.' },
  ChannelSubscription: {
    schema: subscriptionBody,
    graphqlType: 'SubscribeChannelInput',
  },
  PushKeys: {
    schema: pushKeysBody,
    graphqlType: 'PushKeysInput',
  },
  SubscribedChannel: {
    schema: subscribedChannel,
    graphqlType: 'Channel',
    description: 'A channel, and the members that are shown once.',
  },
  ChannelConfirmation: {
    schema: confirmationBody,
    graphqlType: 'ConfirmChannelInput',
  },
  ChannelUpdate: {
    schema: channelUpdateBody,
    graphqlType: 'UpdateChannelInput',
  },
  EndedChannel: {
    schema: endedChannel,
    graphqlType: 'UnsubscribeChannelPayload',
  },
  TestEvent: {
    schema: testEvent,
    graphqlType: 'TestChannelPayload',
  },
  ChannelReplay: {
    schema: replayBody,
    graphqlType: 'ReplayChannelInput',
  },
  Replayed: {
    schema: replayed,
    graphqlType: 'ReplayChannelPayload',
  },
  Deliveries: { schema: deliveries, description: 'A page of a channel’s sent and waiting deliveries.' },
  Delivery: {
    schema: delivery,
    graphqlType: 'Delivery',
  },
  SignIn: { schema: signInBody, graphqlType: 'SignInInput' },
  SignInChallenge: {
    schema: signInChallenge,
    graphqlType: 'SignInChallengePayload',
  },
  Session: {
    schema: openedSession,
    graphqlType: 'SignInPayload',
  },
  EndedSessions: {
    schema: endedSessions,
    graphqlType: 'SignOutPayload',
  },
  FeedPage: { schema: feedPage, description: 'A page of the feed of the book.' },
  FeedEvent: { schema: feedEvent, graphqlType: 'BookEvent' },
  Problem: {
    schema: problem,
    description: 'Any refusal as RFC 9457 describes it, for clients whose `Accept` names its type.',
  },
  OrderBookError: { schema: orderBookError, description: 'The refusal of an order book route.' },
  AccountError: {
    schema: accountError,
    description: 'The refusal of a route of tokens, accounts or affiliates.',
  },
}

interface JsonSchema extends Record<string, unknown> {
  properties?: Record<string, JsonSchema>
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
}

const schemasPath = '#/components/schemas/'

const ids = new Map<z.ZodType, string>(Object.entries(namedSchemas).map(([id, { schema }]) => [schema, id]))

/** Returns a reference for a named schema, any other schema inline. */
export function schemaOf(schema: z.ZodType): JsonSchema {
  const id = ids.get(schema)
  if (id !== undefined) return { $ref: schemasPath + id }
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input' })
  return json as JsonSchema
}

/** Returns every named schema as JSON Schema. Additional members are allowed: later versions may add some. */
export function schemaComponents(): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>()
  for (const [schema, id] of ids) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri: (id) => schemasPath + id })
  return Object.fromEntries(
    Object.entries(namedSchemas).map(([id, { graphqlType: name, description }]) => {
      const { $schema: _, $id: __, ...json } = schemas[id] as JsonSchema
      const type = name === undefined ? undefined : graphqlType(name)
      const text = description ?? type?.description
      if (!text) throw new Error(`the schema ${id} has no description`)
      return [id, { ...describe(json, type), description: inPlainText(text) }]
    }),
  )
}

/**
 * Adds missing descriptions to members, from the GraphQL fields of the same name; the kind of a variant has
 * that of its type. References are skipped: their target has one.
 */
function describe(json: JsonSchema, type: GraphQLNamedType | undefined): JsonSchema {
  if (!type) return json
  const { properties = {}, anyOf, oneOf } = json
  const variants = (each: JsonSchema) => describe(each, variantOf(type, each.properties?.kind?.const))
  const members = Object.entries(properties).map(([name, property]) => {
    const field = fieldNamed(type, name)
    const fieldType = field && getNamedType(field.type)
    const inherited = name === 'kind' && !field ? type.description : field?.description
    const { description = inherited, ...bare } = property
    if ('$ref' in property || typeof description !== 'string') return [name, property]
    return [name, { ...describe(bare, fieldType), description: inPlainText(description, fieldType?.name) }]
  })
  return {
    ...json,
    ...(members.length > 0 && { properties: Object.fromEntries(members) }),
    ...(anyOf && { anyOf: anyOf.map(variants) }),
    ...(oneOf && { oneOf: oneOf.map(variants) }),
  }
}
