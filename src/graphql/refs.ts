import type { Diagnosis, Reason } from '../domain/diagnosis/diagnosis.ts'
import type { QuoteReply } from '../domain/quote/quote.ts'
import { builder } from './builder.ts'
import { modelRef } from './stored/resolve.ts'

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
/** A quote with an id, which only stored quotes have. */
export type StoredQuote = QuoteReply & { quote: { id: bigint } }
/** The chain of the tokens in a quote's route. */
type OnChain = { chainId: number }

export const AccountRef = modelRef('Account')
export const AffiliateRef = modelRef('Affiliate')
export const AppDataRef = modelRef('AppData')
export const AuctionRef = modelRef('Auction')
export const CurrentAuctionRef = modelRef('CurrentAuction')
export const DiagnosedRef = builder.interfaceRef<Reason & OnChain>('Diagnosed')
export const DiagnosisReasonRef = builder.objectRef<Reason & OnChain>('DiagnosisReason')
export const MetaRef = modelRef('Meta')
export const NodeRef = builder.interfaceRef<object>('Node')
export const OrderRef = modelRef('Order')
export const OrderDiagnosisRef = builder.objectRef<Diagnosis & OnChain>('OrderDiagnosis')
export const PageInfoRef = builder.objectRef<PageInfo>('PageInfo')
export const QuoteRef = builder.objectRef<StoredQuote>('Quote')
export const SettlementRef = modelRef('Settlement')
export const TokenRef = modelRef('Token')
export const TradeRef = modelRef('Trade')
