import { type Body, modelOf, wholeBody } from '../../storage/bodies/body.ts'
import { competitionSolution, competitionSolutionV1 } from '../../storage/bodies/competition.ts'
import { auctionFeePolicies, auctionOrder } from '../../storage/bodies/current-auction.ts'
import {
  reportedAttempt,
  reportedAuction,
  reportedEvent,
  reportedExecution,
  reportedFeePolicy,
  reportedTrade,
} from '../../storage/bodies/debug-report.ts'
import { publishedMetadata } from '../../storage/bodies/notification.ts'
import {
  ethflowDataBody,
  fullOrder,
  interactionsBody,
  onchainOrderDataBody,
  orderProgressBody,
  orderQuoteBody,
  solverProposalBody,
} from '../../storage/bodies/order.ts'
import { executedProtocolFeeBody, listedTrade, tradeFeePolicies } from '../../storage/bodies/trade.ts'
import { auctionReport, execution } from '../../storage/models/auction/report.ts'
import { proposedSolution } from '../../storage/models/auction/solution.ts'
import { orderEvent } from '../../storage/models/order/event.ts'
import { order } from '../../storage/models/order/order.ts'
import { executedAmounts, orderProgress, solverProposal } from '../../storage/models/order/progress.ts'
import { interactions, orderQuote } from '../../storage/models/order/relations.ts'
import { trade } from '../../storage/models/trade.ts'
import type { Model } from '../../storage/query/model.ts'
import { announcement } from '../account/announcements.ts'
import {
  bodySchema,
  competitionSchema,
  competitionV1Schema,
  currentAuction,
  debugReport,
  notification,
  notifications,
  orders,
  trades,
  unionSchema,
  wrappedOrders,
} from './body-schemas.ts'
import type { NamedSchema } from './operation.ts'

/** Bodies with the name and description of their model. */
const ofModels: readonly [Model, Body?][] = [
  [order, fullOrder],
  [orderQuote, orderQuoteBody],
  [modelOf(order, 'onchainOrderData'), onchainOrderDataBody],
  [modelOf(order, 'ethflowData'), ethflowDataBody],
  [modelOf(interactions, 'pre')],
  [interactions, interactionsBody],
  [orderProgress, orderProgressBody],
  [solverProposal, solverProposalBody],
  [executedAmounts],
  [trade, listedTrade],
  [modelOf(trade, 'executedProtocolFees'), executedProtocolFeeBody],
  [orderEvent, reportedEvent],
  [auctionReport, reportedAuction],
  [proposedSolution],
  [execution, reportedExecution],
]

export const storedSchemas: Readonly<Record<string, NamedSchema>> = {
  ...Object.fromEntries(
    ofModels.map(([model, body = wholeBody(model)]) => [
      model.name,
      { schema: bodySchema(body), description: model.description },
    ]),
  ),
  Orders: { schema: orders, description: 'Orders, newest first, without their quotes.' },
  WrappedOrders: {
    schema: wrappedOrders,
    description: 'The orders that exist, in the order of the request.',
  },
  Trades: { schema: trades, description: 'Trades, newest first.' },
  TradeFeePolicy: {
    schema: unionSchema(tradeFeePolicies),
    description: 'A rule for fees, under the name of its kind.',
  },
  DebugReport: {
    schema: debugReport,
    description:
      'Everything that happened to one order. Lists are always present; unknown values are left out.',
  },
  SettlementAttempt: {
    schema: bodySchema(reportedAttempt),
    description: 'An attempt to settle a winner. While it runs, it has no end and no outcome.',
  },
  FeePolicy: {
    schema: bodySchema(reportedFeePolicy),
    description: 'A rule for fees that the protocol may take, with only the factors of its kind.',
  },
  ReportedTrade: { schema: bodySchema(reportedTrade), description: 'A trade of the order.' },
  Competition: { schema: competitionSchema, description: 'The solvers’ proposals for one auction.' },
  CompetitionSolution: { schema: bodySchema(competitionSolution), description: 'One proposed solution.' },
  CompetitionV1: { schema: competitionV1Schema, description: 'The first version’s view of a competition.' },
  CompetitionSolutionV1: { schema: bodySchema(competitionSolutionV1), description: 'One proposed solution.' },
  CurrentAuction: { schema: currentAuction, description: 'The auction that solvers get now.' },
  AuctionOrder: { schema: bodySchema(auctionOrder), description: 'An order as solvers get it.' },
  AuctionFeePolicy: {
    schema: unionSchema(auctionFeePolicies),
    description: 'A rule for fees, under the name of its kind.',
  },
  Notification: { schema: notification, description: 'A message to an account about an event.' },
  Announcement: {
    schema: announcement,
    description:
      'A message of the operator to an account, or to all, in the shape of a notification. Requires a connected content system.',
  },
  NotificationMetadata: {
    schema: bodySchema(publishedMetadata),
    description: 'The order of a notification, and facts of its type.',
  },
  Notifications: { schema: notifications, description: 'The newest 1000 notifications, newest first.' },
}
