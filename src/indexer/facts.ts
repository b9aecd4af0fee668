import type { SettlementLog } from '../chain/logs/settlement-logs.ts'
import type { DecodedSettlement } from '../chain/settlement/call.ts'
import type { StoredSolution } from '../domain/auction/competition.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import type { FeePolicy } from '../domain/fee/policy.ts'
import type { Order } from '../domain/order/order.ts'
import type { OrderUid } from '../domain/order/uid.ts'
import { settlementFees } from '../domain/settlement/fees.ts'
import { policyKey } from '../storage/auction/auctions.ts'
import type { ChainFacts } from '../storage/chain/log.ts'
import { attribute, type Competitions, type LoggedSettlement } from './attribution.ts'

/** What logs are read against. */
export interface Knowledge extends Competitions {
  chainId: number
  /** Orders of the service, by UID. */
  orders: ReadonlyMap<OrderUid, Order>
  /** Calldata of settlement transactions, as far as it is a settle call. */
  calls: ReadonlyMap<Bytes32, DecodedSettlement | undefined>
  /** Fee policies by auction and order: see `policyKey`. */
  policies: ReadonlyMap<string, FeePolicy[]>
}

export interface ReadFacts extends ChainFacts {
  /** Settlements that carried out a stored solution. */
  attributed: { group: LoggedSettlement; solution: StoredSolution }[]
}

/** Turns the logs of a range into rows. */
export function readFacts(
  logs: readonly SettlementLog[],
  groups: readonly LoggedSettlement[],
  known: Knowledge,
): ReadFacts {
  const solutions = new Map(
    groups.map((group) => [group, attribute(group, known.calls.get(group.settlement.txHash), known)]),
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
              chainId: known.chainId,
              orderId: known.orders.get(log.orderUid)?.id ?? null,
              auctionId: auctionOf.get(log) ?? null,
            },
          ]
        : [],
    ),
    settlements: groups.map((group) => {
      const solution = solutions.get(group)
      return {
        ...group.settlement,
        auctionId: solution?.auctionId ?? null,
        solutionUid: solution?.uid ?? null,
      }
    }),
    invalidations: logs.filter((log) => log.type === 'invalidation'),
    presignatures: logs.filter((log) => log.type === 'presignature'),
    executions: groups.flatMap((group) => executionsOf(group, solutions.get(group), known)),
    attributed: groups.flatMap((group) => {
      const solution = solutions.get(group)
      return solution ? [{ group, solution }] : []
    }),
  }
}

/** The contract logs its trades in the order of the calldata, so that the two are read side by side. */
function executionsOf(
  { settlement, trades }: LoggedSettlement,
  solution: StoredSolution | undefined,
  known: Knowledge,
): ChainFacts['executions'] {
  const call = known.calls.get(settlement.txHash)
  if (!solution || call?.trades.length !== trades.length) return []
  return trades.flatMap((trade, index) => {
    const order = known.orders.get(trade.orderUid)
    const decoded = call.trades[index]
    if (!order || !decoded) return []
    const feePolicies = known.policies.get(policyKey(solution.auctionId, order.id)) ?? []
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
