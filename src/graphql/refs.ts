import type { GraphQLError } from 'graphql'
import type { OpenedSession, SignInChallenge } from '../accounts/sign-in.ts'
import type { AffiliateStatistics, TraderActivity, TraderStatistics } from '../affiliates/statistics.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import type { Network } from '../domain/network/network.ts'
import type { Channel } from '../domain/notification/channel.ts'
import type { OrderData } from '../domain/order/order.ts'
import type { OrderSimulation } from '../domain/order/simulation.ts'
import type { OrderUid } from '../domain/order/uid.ts'
import type { QuoteHop, QuotePath, QuoteReply, QuoteRoute } from '../domain/quote/quote.ts'
import type { SignatureExplanation } from '../domain/signing/explain-signature.ts'
import type { SigningDomain } from '../domain/signing/signing.ts'
import type { Sourced } from '../domain/token/sourced.ts'
import type { TokenHolder } from '../domain/token/token.ts'
import type { ReferredTradeRow } from '../storage/affiliate/statistics.ts'
import type { DeliveryRecord } from '../storage/channels/deliveries.ts'
import type { BalancesUpdate } from '../tokens/balances.ts'
import type { PricesUpdate } from '../tokens/prices.ts'
import { builder } from './builder.ts'
import { modelRef } from './stored/model-ref.ts'

// One ref for each object type, so that no type's file imports another's.

/** The page of a list that resolvers build; the statement writes those of stored lists. */
export interface PageInfo {
  page: {
    hasNextPage: boolean
    hasPreviousPage: boolean
    startCursor: string | null
    endCursor: string | null
  }
}
export interface HolderPage {
  /** All known holders, with their source. */
  sourcedValue: Sourced<readonly TokenHolder[]>
  holders: TokenHolder[]
  hasNextPage: boolean
}
/** Newest first. */
export interface DeliveryPage {
  deliveries: DeliveryRecord[]
  hasNextPage: boolean
}
/** What a wallet signs, and for which contract. */
type OrderToSign = OrderData & { owner: Address; domain: SigningDomain }
/** Result for one order of a batch: either `uid` or `error`. */
type PlaceOrderResult = { index: number; uid?: OrderUid; error?: GraphQLError }
/** A quote with an id, which only stored quotes have. */
export type StoredQuote = QuoteReply & { quote: { id: bigint } }
/** The chain of the tokens in a quote's route. */
type OnChain = { chainId: number }

export const AccountRef = modelRef('Account')
export const AffiliateRef = modelRef('Affiliate')
export const AffiliateStatisticsRef = builder.objectRef<AffiliateStatistics>('AffiliateStatistics')
export const AppDataRef = modelRef('AppData')
export const AuctionRef = modelRef('Auction')
export const BalancesUpdateRef = builder.objectRef<BalancesUpdate & OnChain>('BalancesUpdate')
export const CurrentAuctionRef = modelRef('CurrentAuction')
export const ChannelRef = builder.objectRef<Channel>('Channel')
export const ChannelPayloadRef = builder.objectRef<{ channel: Channel }>('ChannelPayload')
export const ChannelSecretPayloadRef = builder.objectRef<{ channel: Channel; secret: string | null }>(
  'ChannelSecretPayload',
)
export const DeliveryRef = builder.objectRef<DeliveryRecord>('Delivery')
export const DeliveryEdgeRef = builder.objectRef<DeliveryRecord>('DeliveryEdge')
export const DeliveryConnectionRef = builder.objectRef<DeliveryPage>('DeliveryConnection')
export const SignInPayloadRef = builder.objectRef<OpenedSession>('SignInPayload')
export const SignOutPayloadRef = builder.objectRef<{ sessions: number }>('SignOutPayload')
export const TestChannelPayloadRef = builder.objectRef<{ delivery: bigint }>('TestChannelPayload')
export const ReplayChannelPayloadRef = builder.objectRef<{ deliveries: number }>('ReplayChannelPayload')
export const UnsubscribeChannelPayloadRef = builder.objectRef<{ id: string }>('UnsubscribeChannelPayload')
export const SignInChallengePayloadRef = builder.objectRef<SignInChallenge>('SignInChallengePayload')
export const CancelOrderPayloadRef = builder.objectRef<{ uid: OrderUid }>('CancelOrderPayload')
export const CancelOrdersByPolicyPayloadRef = builder.objectRef<{ uids: OrderUid[] }>(
  'CancelOrdersByPolicyPayload',
)
export const CancelOrdersPayloadRef = builder.objectRef<{ uids: OrderUid[] }>('CancelOrdersPayload')
export const MetaRef = modelRef('Meta')
export const NetworkRef = builder.objectRef<Network>('Network')
export const NodeRef = builder.interfaceRef<object>('Node')
export const OrderRef = modelRef('Order')
export const OrderSimulationRef = builder.objectRef<OrderSimulation>('OrderSimulation')
export const OrderToSignRef = builder.objectRef<OrderToSign>('OrderToSign')
export const PageInfoRef = builder.objectRef<PageInfo>('PageInfo')
export const PlaceOrderErrorRef = builder.objectRef<{ index: number; error: GraphQLError }>('PlaceOrderError')
export const PlaceOrderPayloadRef = builder.objectRef<{ uid: OrderUid }>('PlaceOrderPayload')
export const PlaceOrderResultRef = builder.objectRef<PlaceOrderResult>('PlaceOrderResult')
export const PlaceOrdersPayloadRef = builder.objectRef<{ results: PlaceOrderResult[] }>('PlaceOrdersPayload')
export const PricesUpdateRef = builder.objectRef<PricesUpdate & OnChain>('PricesUpdate')
export const QuotedOrderRef = builder.objectRef<QuoteReply>('QuotedOrder')
export const QuoteRef = builder.objectRef<StoredQuote>('Quote')
export const QuoteHopRef = builder.objectRef<QuoteHop & OnChain>('QuoteHop')
export const QuotePathRef = builder.objectRef<QuotePath & OnChain>('QuotePath')
export const QuoteResponseRef = builder.objectRef<QuoteReply>('QuoteResponse')
export const QuoteRouteRef = builder.objectRef<QuoteRoute & OnChain>('QuoteRoute')
export const ReferredTradeEdgeRef = builder.objectRef<ReferredTradeRow>('ReferredTradeEdge')
export const ReferredTradeRef = builder.objectRef<ReferredTradeRow>('ReferredTrade')
export const RegisterAffiliatePayloadRef = builder.objectRef<{ wallet: Address }>('RegisterAffiliatePayload')
export const SetAffiliateEnabledPayloadRef = builder.objectRef<{ wallet: Address }>(
  'SetAffiliateEnabledPayload',
)
export const SettlementRef = modelRef('Settlement')
export const SignatureExplanationRef = builder.objectRef<SignatureExplanation>('SignatureExplanation')
export const TokenBalanceRef = builder.objectRef<BalancesUpdate['changes'][number] & OnChain>('TokenBalance')
export const TokenHolderConnectionRef = builder.objectRef<HolderPage>('TokenHolderConnection')
export const TokenHolderEdgeRef = builder.objectRef<TokenHolder>('TokenHolderEdge')
export const TokenHolderRef = builder.objectRef<TokenHolder>('TokenHolder')
export const TokenPricesRef = builder.objectRef<PricesUpdate['changes'][number] & OnChain>('TokenPrices')
export const TokenRef = modelRef('Token')
export const TraderActivityConnectionRef = builder.objectRef<TraderActivity & { hasNextPage: boolean }>(
  'TraderActivityConnection',
)
export const TraderStatisticsRef = builder.objectRef<TraderStatistics>('TraderStatistics')
export const TradeRef = modelRef('Trade')
export const UploadAppDataPayloadRef = builder.objectRef<{ hash: Bytes32; created: boolean }>(
  'UploadAppDataPayload',
)
export const UsdPriceRef = builder.objectRef<Sourced<string>>('UsdPrice')
