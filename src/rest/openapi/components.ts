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
import { orderSimulation, tenderlyRequest } from '../order/simulation.ts'
import { quotedOrder, quoteResponse } from '../quote.ts'
import { about } from '../service.ts'
import { nativePrice, tokenMetadata, totalSurplus } from '../token/native-price.ts'
import { averageAprs, poolAddresses, poolFigures, poolList } from '../token/pools.ts'
import { tokenDetails, tokenDetailsList, tokenHolder, tokenHolders, usdPrice } from '../token/tokens.ts'
import { graphqlDescriptions, inPlainText } from './body-schemas.ts'
import type { NamedSchema } from './operation.ts'
import { accountError, orderBookError } from './primitives.ts'
import { storedSchemas } from './stored-schemas.ts'

/** Schemas that have a name in the document. */
export const namedSchemas: Readonly<Record<string, NamedSchema>> = {
  ...storedSchemas,
  SolverNotices: { schema: solverNotices, description: 'The newest 100, newest first.' },
  SolverNotice: { schema: solverNotices.element, description: 'What became of solutions of a solver.' },
  OrderDiagnosis: { schema: orderDiagnosis, description: 'Why an order is not filled, or how it ended.' },
  DiagnosisReason: { schema: diagnosisReason, description: 'A further reason, which has to be solved too.' },
  DiagnosisEvidence: { schema: diagnosisEvidence, description: 'A fact behind a reason.' },
  QuoteRequest: {
    schema: quoteBody,
    graphqlType: 'QuoteInput',
    description:
      'What to quote: exactly one amount that fits the kind, and at most one of validTo and validFor.',
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
  OrderCreation: { schema: orderInput.schema, graphqlType: 'OrderInput', description: 'A signed order.' },
  OrderToExplain: {
    schema: explanationBody,
    graphqlType: 'ExplainOrderInput',
    description: 'An order that is not placed, and maybe not signed.',
  },
  OrderToSimulate: {
    schema: simulationBody,
    graphqlType: 'SimulateOrderInput',
    description: 'An order that need not be stored, nor be acceptable.',
  },
  OrderSimulation: {
    schema: orderSimulation,
    description: 'What would become of a settlement of the order.',
  },
  TenderlyRequest: { schema: tenderlyRequest, description: 'The call, in the form that Tenderly takes.' },
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
    description: 'What the auctions know of a token.',
  },
  TotalSurplus: {
    schema: totalSurplus,
    graphqlType: 'Account',
    description: 'The surplus of all trades of an account over their limit prices.',
  },
  Bundle: { schema: bundleBody, description: 'Transactions, each on the state that the one before leaves.' },
  BundleTransaction: {
    schema: bundleTransaction,
    graphqlType: 'BundleTransactionInput',
    description: 'A transaction that is not sent.',
  },
  SimulatedBundle: { schema: simulatedBundle, description: 'What would become of each transaction.' },
  SimulatedTransaction: {
    schema: simulatedTransaction,
    description: 'What would become of a transaction; differences are those from before the bundle.',
  },
  SimulatedLog: { schema: simulatedLog, description: 'A log that a transaction would write.' },
  StateChange: { schema: stateChange, description: 'Storage of an account that would not be as before.' },
  SlippageTolerance: { schema: slippageTolerance, description: 'The slippage to allow in a market.' },
  VolatilityDetails: { schema: volatilityDetails, description: 'How much the tokens of a market move.' },
  TokenVolatility: { schema: tokenVolatility, description: 'How much the price of a token moves.' },
  UsdPricePoint: { schema: pricePoint, description: 'What a token cost at a time.' },
  UsdPrice: { schema: usdPrice, description: 'The price of a token in US dollars.' },
  AccountBalance: {
    schema: accountBalance,
    description: 'A balance, and what the vault relayer may take of it.',
  },
  AccountBalances: { schema: accountBalances, description: 'Balances of an account at one block.' },
  WatchedTokens: { schema: watchedTokensInput, description: 'Up to 1,500 tokens.' },
  WatchedTokensOfSession: {
    schema: watchedTokensOfSession,
    description: 'The tokens that a session follows: at least one, by contract or by list.',
  },
  BalanceSession: { schema: balanceSession, description: 'A session that follows balances.' },
  HeldBalances: { schema: heldBalances, description: 'What an account holds.' },
  TokenHolder: { schema: tokenHolder, description: 'A holder of a token.' },
  TokenHolders: { schema: tokenHolders, description: 'The largest holders, the greatest first.' },
  TokenDetails: {
    schema: tokenDetails,
    graphqlType: 'Token',
    description: 'Metadata from the contract of a token.',
  },
  TokenDetailsList: { schema: tokenDetailsList, description: 'The addresses that are tokens.' },
  TokenAddresses: { schema: tokenDetailsInput, description: 'Up to 100 tokens.' },
  About: { schema: about, description: 'What answers here.' },
  PoolFigures: { schema: poolFigures, description: 'What is known of a pool.' },
  PoolList: { schema: poolList, description: 'Pools, the greatest value first.' },
  PoolAddresses: { schema: poolAddresses, description: 'Up to 500 pools.' },
  AverageAprs: { schema: averageAprs, description: 'Per cent a year by project.' },
  AffiliateRegistration: {
    schema: registerAffiliateInput.schema,
    graphqlType: 'RegisterAffiliateInput',
    description: 'A wallet’s signed request for a code.',
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
  AffiliateSwitch: { schema: affiliateSwitch, description: 'Whether traders may use a code.' },
  SwitchedCode: { schema: switchedCode, graphqlType: 'Affiliate', description: 'A code that was switched.' },
  AffiliateStatistics: {
    schema: affiliateStatistics,
    description: 'What a wallet’s code brought, in US dollars.',
  },
  TraderStatistics: {
    schema: traderStatistics,
    description: 'What a trader’s own trades earned him, in US dollars.',
  },
  TraderActivity: { schema: traderActivity, description: 'A trader’s trades that name a code.' },
  ReferredTrade: { schema: referredTrade, description: 'A trade, and what it counts for its code.' },
  Channel: {
    schema: channel,
    graphqlType: 'Channel',
    description: 'Where an account wants its notifications sent.',
  },
  Channels: { schema: channels, description: 'Channels that have not ended, oldest first.' },
  ChannelSubscription: {
    schema: subscriptionBody,
    graphqlType: 'SubscribeChannelInput',
    description: 'A channel to subscribe.',
  },
  PushKeys: {
    schema: pushKeysBody,
    graphqlType: 'PushKeysInput',
    description: 'Keys of a browser’s push subscription (RFC 8291).',
  },
  SubscribedChannel: {
    schema: subscribedChannel,
    graphqlType: 'Channel',
    description: 'A channel, and what is shown this once.',
  },
  ChannelConfirmation: {
    schema: confirmationBody,
    graphqlType: 'ConfirmChannelInput',
    description: 'Proof that a channel’s receiver wants it.',
  },
  ChannelUpdate: {
    schema: channelUpdateBody,
    graphqlType: 'UpdateChannelInput',
    description: 'What is to be sent from now on. What is left out stays; null and an empty list mean all.',
  },
  EndedChannel: {
    schema: endedChannel,
    graphqlType: 'UnsubscribeChannelPayload',
    description: 'A channel that ended.',
  },
  TestEvent: {
    schema: testEvent,
    graphqlType: 'TestChannelPayload',
    description: 'A test event that is to be sent.',
  },
  ChannelReplay: {
    schema: replayBody,
    graphqlType: 'ReplayChannelInput',
    description: 'What is to be sent again.',
  },
  Replayed: { schema: replayed, graphqlType: 'ReplayChannelPayload', description: 'What is sent again.' },
  Deliveries: { schema: deliveries, description: 'A page of what was sent to a channel, or waits.' },
  Delivery: {
    schema: delivery,
    graphqlType: 'Delivery',
    description: 'What was sent to a channel, or is to be sent.',
  },
  SignIn: { schema: signInBody, graphqlType: 'SignInInput', description: 'A signed message of EIP-4361.' },
  SignInChallenge: {
    schema: signInChallenge,
    graphqlType: 'SignInChallengePayload',
    description: 'What a message that proves an account has to contain (EIP-4361).',
  },
  Session: {
    schema: openedSession,
    graphqlType: 'SignInPayload',
    description: 'Proof of an account, for some time.',
  },
  EndedSessions: {
    schema: endedSessions,
    graphqlType: 'SignOutPayload',
    description: 'Sessions that ended.',
  },
  OrderBookError: { schema: orderBookError, description: 'Why an order book route refused.' },
  AccountError: {
    schema: accountError,
    description: 'Why a route of tokens, accounts or affiliates refused.',
  },
}

type JsonSchema = Record<string, unknown> & { properties?: Record<string, Record<string, unknown>> }

const schemasPath = '#/components/schemas/'

const ids = new Map<z.ZodType, string>(Object.entries(namedSchemas).map(([id, { schema }]) => [schema, id]))

/** A reference for a named schema; any other schema inline. */
export function schemaOf(schema: z.ZodType): JsonSchema {
  const id = ids.get(schema)
  if (id !== undefined) return { $ref: schemasPath + id }
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input' })
  return json as JsonSchema
}

/** Every named schema as JSON Schema. Additional members are allowed: later versions may add some. */
export function schemaComponents(): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>()
  for (const [schema, id] of ids) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri: (id) => schemasPath + id })
  return Object.fromEntries(
    Object.entries(namedSchemas).map(([id, { graphqlType, description }]) => {
      const { $schema: _, $id: __, ...json } = schemas[id] as JsonSchema
      return [id, { ...describe(json, graphqlType), description: inPlainText(description) }]
    }),
  )
}

/** Adds descriptions to members, from GraphQL where they have none. Not to references: their target has one. */
function describe(json: JsonSchema, graphqlType: string | undefined): JsonSchema {
  if (!json.properties || graphqlType === undefined) return json
  const descriptions = graphqlDescriptions(graphqlType)
  const properties = Object.entries(json.properties).map(([name, property]) => {
    const { description: own, ...bare } = property
    const description = typeof own === 'string' ? inPlainText(own) : descriptions[name]
    return [name, '$ref' in property || description === undefined ? property : { ...bare, description }]
  })
  return { ...json, properties: Object.fromEntries(properties) }
}
