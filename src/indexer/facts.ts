import type { ProtocolLog } from '../chain/logs/chain-logs.ts'
import type { StoredSolution } from '../domain/auction/competition.ts'
import type { FeePolicy } from '../domain/fee/policy.ts'
import type { Order } from '../domain/order/order.ts'
import type { OrderUid } from '../domain/order/uid.ts'
import { settlementFees } from '../domain/settlement/fees.ts'
import { policyKey } from '../storage/auction/auctions.ts'
import type { ChainFacts } from '../storage/chain/log.ts'
import { attribute, type Competitions, type LoggedSettlement, type MinedSettlement } from './attribution.ts'
import { hasTransaction } from './block-range.ts'

/** Stored data and transactions that logs are interpreted with. */
export interface FactsContext extends Competitions {
  chainId: number
  /** Deadline blocks by auction. */
  deadlines: ReadonlyMap<bigint, number>
  /** Orders of the service, by UID. */
  orders: ReadonlyMap<OrderUid, Order>
  mined: ReadonlyMap<LoggedSettlement, MinedSettlement>
  /** Fee policies by auction and order: see `policyKey`. */
  policies: ReadonlyMap<string, FeePolicy[]>
}

export interface ReadFacts extends Required<ChainFacts> {
  /** Settlements that executed a stored solution. */
  attributed: { group: LoggedSettlement; solution: StoredSolution }[]
}

/** Turns the logs of a range into rows. */
export function readFacts(
  logs: readonly ProtocolLog[],
  groups: readonly LoggedSettlement[],
  context: FactsContext,
): ReadFacts {
  const solutions = new Map(
    groups.map((group) => [group, attribute(group, context.mined.get(group), context)]),
  )
  const auctionOf = new Map(
    groups.flatMap((group) => group.trades.map((trade) => [trade, solutions.get(group)?.auctionId ?? null])),
  )
  return {
    trades: logs.flatMap((log) =>
      log.type === 'trade'
        ? [
            {
              ...log,
              chainId: context.chainId,
              orderId: context.orders.get(log.orderUid)?.id ?? null,
              auctionId: auctionOf.get(log) ?? null,
            },
          ]
        : [],
    ),
    settlements: groups.map((group) => {
      const solution = solutions.get(group)
      const mined = context.mined.get(group)
      return {
        ...group.settlement,
        solver: solution?.solver ?? group.settlement.solver,
        auctionId: solution?.auctionId ?? null,
        solutionUid: solution?.uid ?? null,
        deadlineBlock: (solution && context.deadlines.get(solution.auctionId)) ?? null,
        gasUsed: mined?.gasUsed ?? null,
        effectiveGasPrice: mined?.effectiveGasPrice ?? null,
        isUnread: !mined && hasTransaction(group.settlement),
      }
    }),
    invalidations: logs.filter((log) => log.type === 'invalidation'),
    refunds: logs.filter((log) => log.type === 'refund'),
    presignatures: logs.filter((log) => log.type === 'presignature'),
    executions: groups.flatMap((group) => executionsOf(group, solutions.get(group), context)),
    attributed: groups.flatMap((group) => {
      const solution = solutions.get(group)
      return solution ? [{ group, solution }] : []
    }),
  }
}

/** The contract logs trades in the order of the calldata, so both are matched by index. */
function executionsOf(
  group: LoggedSettlement,
  solution: StoredSolution | undefined,
  context: FactsContext,
): ChainFacts['executions'] {
  const { trades } = group
  const call = context.mined.get(group)?.call
  if (!solution || call?.trades.length !== trades.length) return []
  return trades.flatMap((trade, index) => {
    const order = context.orders.get(trade.orderUid)
    const decoded = call.trades[index]
    if (!order || !decoded) return []
    const feePolicies = context.policies.get(policyKey(solution.auctionId, order.id)) ?? []
    const indices = { sellTokenIndex: decoded.indices.sell, buyTokenIndex: decoded.indices.buy }
    const fees = settlementFees(
      call,
      { ...indices, executedAmount: decoded.executedAmount },
      { ...order, feePolicies },
    )
    if (!fees) return []
    const { auctionId } = solution
    return [
      {
        orderId: order.id,
        auctionId,
        executedFeeToken: order.sellToken,
        blockNumber: trade.blockNumber,
        ...fees,
      },
    ]
  })
}
