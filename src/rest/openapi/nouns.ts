import type { z } from 'zod'
import { affiliateInput, affiliateSwitch } from '../../graphql/inputs/affiliate.ts'
import { cancellationInput, singleCancellationInput } from '../../graphql/inputs/cancellation.ts'
import { orderCreationInput } from '../../graphql/inputs/order-creation.ts'
import { orderUidsInput } from '../../graphql/inputs/order-uids.ts'
import { quoteRequestInput } from '../../graphql/inputs/quote-request.ts'
import { tokenDetailsInput } from '../../graphql/inputs/token-addresses.ts'
import { appDataBody } from '../routes.ts'
import { affiliate, referralCode, registeredAffiliate, switchedCode } from './schemas/affiliate.ts'
import { appDataDocument } from './schemas/app-data.ts'
import {
  competition,
  competitionSolution,
  competitionSolutionV1,
  competitionV1,
} from './schemas/competition.ts'
import {
  auctionReport,
  debugReport,
  execution,
  feePolicy,
  orderEvent,
  proposedSolution,
  reportedTrade,
  settlementAttempt,
} from './schemas/debug-report.ts'
import { accountError, orderBookError } from './schemas/errors.ts'
import { notification, notificationMetadata, notifications } from './schemas/notification.ts'
import {
  ethflowData,
  interaction,
  interactions,
  onchainOrderData,
  order,
  orderQuote,
  orders,
  wrappedOrders,
} from './schemas/order.ts'
import { executedAmounts, orderProgress, solverProposal } from './schemas/order-progress.ts'
import { quotedOrder, quoteResponse } from './schemas/quote.ts'
import { affiliateStatistics, referredTrade, traderActivity, traderStatistics } from './schemas/statistics.ts'
import { nativePrice, tokenMetadata, totalSurplus } from './schemas/token.ts'
import { tokenDetails, tokenDetailsList, tokenHolder, tokenHolders, usdPrice } from './schemas/token-data.ts'
import { executedProtocolFee, trade, tradeFeePolicy, trades } from './schemas/trade.ts'

export interface Noun {
  schema: z.ZodType
  description: string
  /** The type of the graph whose descriptions fields of the same name take. */
  graph?: string
}

/** Schemas that have a name in the document. */
export const nouns: Readonly<Record<string, Noun>> = {
  QuoteRequest: {
    schema: quoteRequestInput,
    graph: 'QuoteInput',
    description:
      'What to quote: exactly one amount that fits the kind, and at most one of validTo and validFor.',
  },
  QuoteResponse: { schema: quoteResponse, graph: 'QuoteResponse', description: 'A quote, and its terms.' },
  QuotedOrder: {
    schema: quotedOrder,
    graph: 'QuotedOrder',
    description: 'The order that a quote stands for, ready to be signed with a `feeAmount` of 0.',
  },
  OrderCreation: { schema: orderCreationInput, graph: 'OrderInput', description: 'A signed order.' },
  OrderUids: { schema: orderUidsInput, description: 'UIDs of at most 128 orders.' },
  OrderCancellations: {
    schema: cancellationInput,
    description: 'UIDs and the owner’s signature over `OrderCancellations(bytes[] orderUids)`.',
  },
  OrderCancellation: {
    schema: singleCancellationInput,
    description: 'The owner’s signature over `OrderCancellation(bytes orderUid)`, or over a list of one.',
  },
  Order: { schema: order, graph: 'Order', description: 'An order with what happened to it so far.' },
  Orders: { schema: orders, description: 'Orders, newest first, without their quotes.' },
  WrappedOrders: { schema: wrappedOrders, description: 'The orders that are known, in the order asked for.' },
  OrderQuote: { schema: orderQuote, graph: 'OrderQuote', description: 'The quote an order was stored with.' },
  OnchainOrderData: {
    schema: onchainOrderData,
    graph: 'OnchainOrderData',
    description: 'About the placement on chain.',
  },
  EthflowData: {
    schema: ethflowData,
    graph: 'EthflowData',
    description: 'About an order that sells the native coin through a contract.',
  },
  Interaction: { schema: interaction, graph: 'Interaction', description: 'One call.' },
  Interactions: {
    schema: interactions,
    graph: 'Interactions',
    description: 'Calls that a settlement makes for an order.',
  },
  OrderProgress: {
    schema: orderProgress,
    description: 'Where an order stands in the competition of solvers.',
  },
  SolverProposal: {
    schema: solverProposal,
    graph: 'SolverProposal',
    description: 'A solution as far as it concerns one order.',
  },
  ExecutedAmounts: {
    schema: executedAmounts,
    graph: 'ExecutedAmounts',
    description: 'What a solution trades of an order.',
  },
  Trade: { schema: trade, graph: 'Trade', description: 'What one settlement traded of an order.' },
  Trades: { schema: trades, description: 'Trades, newest first.' },
  ExecutedProtocolFee: {
    schema: executedProtocolFee,
    graph: 'ExecutedProtocolFee',
    description: 'What one fee policy took from a trade.',
  },
  TradeFeePolicy: { schema: tradeFeePolicy, description: 'A rule for fees, under the name of its kind.' },
  AppDataDocument: { schema: appDataDocument, description: 'A document, byte for byte.' },
  AppDataUpload: { schema: appDataBody, description: 'A document to be stored.' },
  DebugReport: {
    schema: debugReport,
    graph: 'DebugReport',
    description:
      'Everything that happened to one order. Lists are always there; what is not known is left out.',
  },
  OrderEvent: { schema: orderEvent, graph: 'OrderEvent', description: 'A step in an order’s story.' },
  AuctionReport: {
    schema: auctionReport,
    graph: 'AuctionReport',
    description: 'One auction as far as it concerns one order.',
  },
  ProposedSolution: {
    schema: proposedSolution,
    graph: 'ProposedSolution',
    description: 'A solution that trades the order.',
  },
  Execution: {
    schema: execution,
    graph: 'Execution',
    description: 'What a settlement on chain did for an order.',
  },
  SettlementAttempt: {
    schema: settlementAttempt,
    graph: 'SettlementAttempt',
    description: 'A try to settle a winner. While it runs it has no end and no outcome.',
  },
  FeePolicy: {
    schema: feePolicy,
    graph: 'FeePolicy',
    description: 'A rule for what the protocol may take. Only the factors of its kind are there.',
  },
  ReportedTrade: { schema: reportedTrade, graph: 'Trade', description: 'A trade of the order.' },
  Competition: {
    schema: competition,
    graph: 'Auction',
    description: 'What solvers proposed for one auction.',
  },
  CompetitionSolution: {
    schema: competitionSolution,
    graph: 'Solution',
    description: 'One proposed solution.',
  },
  CompetitionV1: {
    schema: competitionV1,
    graph: 'Auction',
    description: 'The first version’s view of a competition.',
  },
  CompetitionSolutionV1: {
    schema: competitionSolutionV1,
    graph: 'Solution',
    description: 'One proposed solution.',
  },
  NativePrice: { schema: nativePrice, description: 'What a token is worth in the native coin.' },
  TokenMetadata: {
    schema: tokenMetadata,
    graph: 'Token',
    description: 'What the auctions know of a token.',
  },
  TotalSurplus: {
    schema: totalSurplus,
    graph: 'Account',
    description: 'What all trades of an account brought beyond their limits.',
  },
  Notification: { schema: notification, graph: 'Notification', description: 'What an account is told.' },
  NotificationMetadata: { schema: notificationMetadata, description: 'What a notification is about.' },
  Notifications: { schema: notifications, description: 'The newest 1000, newest first.' },
  UsdPrice: { schema: usdPrice, description: 'What a token is worth in US dollars.' },
  TokenHolder: { schema: tokenHolder, description: 'Who holds a token.' },
  TokenHolders: { schema: tokenHolders, description: 'Those who hold most, the greatest first.' },
  TokenDetails: { schema: tokenDetails, graph: 'Token', description: 'What a token’s contract says.' },
  TokenDetailsList: { schema: tokenDetailsList, description: 'Tokens that there are.' },
  TokenAddresses: { schema: tokenDetailsInput, description: 'Up to 100 tokens.' },
  AffiliateRegistration: {
    schema: affiliateInput,
    graph: 'AffiliateInput',
    description: 'A wallet’s wish for a code, signed.',
  },
  RegisteredAffiliate: {
    schema: registeredAffiliate,
    graph: 'Affiliate',
    description: 'A code that was bound.',
  },
  Affiliate: {
    schema: affiliate,
    graph: 'Affiliate',
    description: 'A wallet that brings traders. Amounts are US dollars.',
  },
  ReferralCode: { schema: referralCode, graph: 'ReferralCode', description: 'A code as a trader sees it.' },
  AffiliateSwitch: { schema: affiliateSwitch, description: 'Whether traders may use a code.' },
  SwitchedCode: { schema: switchedCode, graph: 'Affiliate', description: 'A code that was switched.' },
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
  OrderBookError: { schema: orderBookError, description: 'Why an order book route refused.' },
  AccountError: {
    schema: accountError,
    description: 'Why a route of tokens, accounts or affiliates refused.',
  },
}
