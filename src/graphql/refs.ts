import type { AffiliateStatistics, TraderActivity, TraderStatistics } from '../affiliates/statistics.ts'
import type { Address } from '../domain/address.ts'
import type { Affiliate } from '../domain/affiliate.ts'
import type {
  AuctionStory,
  NativePrice,
  OrderExecution,
  ProposedExecution,
  ProtocolFee,
  SettlementAttempt,
  StoredAuction,
  StoredSolution,
  TradeWithFees,
} from '../domain/competition.ts'
import type { OrderEvent } from '../domain/event.ts'
import type { SignatureExplanation } from '../domain/explain-signature.ts'
import type { FeePolicy } from '../domain/fee-policy.ts'
import type { Bytes32 } from '../domain/hex.ts'
import type { Network } from '../domain/network.ts'
import type { FeedEntry, Notification } from '../domain/notification.ts'
import type { Interaction, Interactions, Order, OrderData, OrderQuote } from '../domain/order.ts'
import type { OrderCompetitionProgress, SolverProposal } from '../domain/order-stage.ts'
import type { Price } from '../domain/order-value.ts'
import type { QuoteHop, QuotePath, QuoteReply, QuoteRoute } from '../domain/quote.ts'
import type { SigningDomain } from '../domain/signing.ts'
import type { Sourced } from '../domain/sourced.ts'
import type { TokenHolder } from '../domain/token.ts'
import type { Trade } from '../domain/trade.ts'
import type { FeedPage } from '../notifications/feed.ts'
import type { TokenKey } from '../storage/loaders.ts'
import type { OrderPage } from '../storage/order-pages.ts'
import type { ReferredTradeRow } from '../storage/statistics.ts'
import { builder } from './builder.ts'

/** One line for each object type, so that no type's file imports another's. */
export interface PageInfo {
  hasNextPage: boolean
  startCursor: string | null
  endCursor: string | null
}
export interface TradePage {
  trades: TradeWithFees[]
  hasNextPage: boolean
}
export interface HolderPage {
  /** All that are known, with who says so. */
  told: Sourced<readonly TokenHolder[]>
  holders: TokenHolder[]
  hasNextPage: boolean
}
/** What a wallet signs, and for which contract. */
type OrderToSign = OrderData & { owner: Address; domain: SigningDomain }
/** Parts of a quote's route, with the chain that their tokens are on. */
type OnChain = { chainId: number }
/** `endedOrder`: row key of the quote's order once that has ended; before, its calls are not told. */
type QuoteOfOrder = OrderQuote & { endedOrder: bigint | null }
type WithFees = Partial<Pick<TradeWithFees, 'protocolFees'>>

export const AccountRef = builder.objectRef<{ address: Address }>('Account')
export const AffiliateRef = builder.objectRef<Affiliate>('Affiliate')
export const AffiliateStatisticsRef = builder.objectRef<AffiliateStatistics>('AffiliateStatistics')
export const AppDataRef = builder.objectRef<{ hash: Bytes32; document: string }>('AppData')
export const AppDataUploadRef = builder.objectRef<{ hash: Bytes32; created: boolean }>('AppDataUpload')
export const AuctionRef = builder.objectRef<StoredAuction>('Auction')
export const AuctionReportRef = builder.objectRef<AuctionStory>('AuctionReport')
export const DebugReportRef = builder.objectRef<Order>('DebugReport')
export const EthflowDataRef = builder.objectRef<{ refundTxHash: Bytes32 | null; userValidTo: number }>(
  'EthflowData',
)
export const ExecutedProtocolFeeRef =
  builder.objectRef<TradeWithFees['protocolFees'][number]>('ExecutedProtocolFee')
export const ExecutedAmountsRef =
  builder.objectRef<NonNullable<SolverProposal['executedAmounts']>>('ExecutedAmounts')
export const ExecutionRef = builder.objectRef<OrderExecution>('Execution')
export const FeePolicyRef = builder.objectRef<FeePolicy>('FeePolicy')
export const InteractionRef = builder.objectRef<Interaction>('Interaction')
export const InteractionsRef = builder.objectRef<Interactions>('Interactions')
export const NativePriceRef = builder.objectRef<NativePrice>('NativePrice')
export const NetworkRef = builder.objectRef<Network>('Network')
export const NodeRef = builder.interfaceRef<object>('Node')
export const NotificationEdgeRef = builder.objectRef<FeedEntry>('NotificationEdge')
export const NotificationPageRef = builder.objectRef<FeedPage>('NotificationPage')
export const NotificationRef = builder.objectRef<Notification>('Notification')
export const OnchainOrderDataRef = builder.objectRef<{ sender: Address; placementError: string | null }>(
  'OnchainOrderData',
)
export const OrderConnectionRef = builder.objectRef<OrderPage>('OrderConnection')
export const OrderEdgeRef = builder.objectRef<Order>('OrderEdge')
export const OrderEventRef = builder.objectRef<OrderEvent>('OrderEvent')
export const OrderProgressRef = builder.objectRef<OrderCompetitionProgress>('OrderProgress')
export const OrderQuoteRef = builder.objectRef<QuoteOfOrder>('OrderQuote')
export const OrderRef = builder.objectRef<Order>('Order')
export const OrderToSignRef = builder.objectRef<OrderToSign>('OrderToSign')
export const PageInfoRef = builder.objectRef<PageInfo>('PageInfo')
export const PriceRef = builder.objectRef<Price>('Price')
export const ProposedSolutionRef =
  builder.objectRef<AuctionStory['proposedSolutions'][number]>('ProposedSolution')
export const ProtocolFeeRef = builder.objectRef<ProtocolFee>('ProtocolFee')
export const QuotedOrderRef = builder.objectRef<QuoteReply>('QuotedOrder')
export const QuoteHopRef = builder.objectRef<QuoteHop & OnChain>('QuoteHop')
export const QuotePathRef = builder.objectRef<QuotePath & OnChain>('QuotePath')
export const QuoteResponseRef = builder.objectRef<QuoteReply>('QuoteResponse')
export const QuoteRouteRef = builder.objectRef<QuoteRoute & OnChain>('QuoteRoute')
export const ReferralCodeRef = builder.objectRef<Affiliate>('ReferralCode')
export const ReferredTradeEdgeRef = builder.objectRef<ReferredTradeRow>('ReferredTradeEdge')
export const ReferredTradeRef = builder.objectRef<ReferredTradeRow>('ReferredTrade')
export const SettlementAttemptRef = builder.objectRef<SettlementAttempt>('SettlementAttempt')
export const SignatureExplanationRef = builder.objectRef<SignatureExplanation>('SignatureExplanation')
export const SolutionOrderRef = builder.objectRef<ProposedExecution>('SolutionOrder')
export const SolutionRef = builder.objectRef<StoredSolution>('Solution')
export const SolverProposalRef = builder.objectRef<SolverProposal>('SolverProposal')
export const SurplusRef = builder.objectRef<{ amount: bigint; token: Address }>('Surplus')
export const TokenHolderConnectionRef = builder.objectRef<HolderPage>('TokenHolderConnection')
export const TokenHolderEdgeRef = builder.objectRef<TokenHolder>('TokenHolderEdge')
export const TokenHolderRef = builder.objectRef<TokenHolder>('TokenHolder')
export const TokenRef = builder.objectRef<TokenKey>('Token')
export const TradeConnectionRef = builder.objectRef<TradePage>('TradeConnection')
export const TradeEdgeRef = builder.objectRef<TradeWithFees>('TradeEdge')
export const TraderActivityConnectionRef = builder.objectRef<TraderActivity & { hasNextPage: boolean }>(
  'TraderActivityConnection',
)
export const TraderStatisticsRef = builder.objectRef<TraderStatistics>('TraderStatistics')
export const TradeRef = builder.objectRef<Trade & WithFees>('Trade')
export const UsdPriceRef = builder.objectRef<Sourced<string>>('UsdPrice')
