import type { SettledLog, SettlementLog, TradeLog } from '../chain/logs/settlement-logs.ts'
import type { DecodedSettlement } from '../chain/settlement/call.ts'
import type { ProposedExecution, StoredSolution } from '../domain/auction/competition.ts'

/** A settlement with the trades it logged: those of its block between it and the settlement before. */
export interface LoggedSettlement {
  settlement: SettledLog
  trades: TradeLog[]
}

/** `logs` are sorted by block and log index. */
export function groupSettlements(logs: readonly SettlementLog[]): LoggedSettlement[] {
  const groups: LoggedSettlement[] = []
  let trades: TradeLog[] = []
  for (const log of logs) {
    if (log.type === 'trade') trades.push(log)
    if (log.type !== 'settlement') continue
    groups.push({
      settlement: log,
      trades: trades.filter(({ blockNumber }) => blockNumber === log.blockNumber),
    })
    trades = []
  }
  return groups
}

/** What the store knows of the auctions that settlements name. */
export interface Competitions {
  solutions: readonly StoredSolution[]
  executions: readonly ProposedExecution[]
}

/**
 * The stored solution that a settlement carried out: of the auction it names, by its solver, with exactly the amounts it traded.
 * Anything else that carries an auction id is a stranger's settlement: the contract is shared.
 */
export function attribute(
  { settlement, trades }: LoggedSettlement,
  decoded: DecodedSettlement | undefined,
  { solutions, executions }: Competitions,
): StoredSolution | undefined {
  const auctionId = decoded?.auctionId
  if (auctionId == null || trades.length === 0) return undefined
  return solutions.find((solution) => {
    if (solution.auctionId !== auctionId || solution.solver !== settlement.solver) return false
    const proposed = executions.filter(
      (item) => item.auctionId === auctionId && item.solutionUid === solution.uid,
    )
    // A solution has an order once, so that equal lengths make this a one-to-one match.
    return (
      proposed.length === trades.length &&
      proposed.every((item) => trades.some((trade) => isSame(item, trade)))
    )
  })
}

function isSame(proposed: ProposedExecution, trade: TradeLog): boolean {
  return (
    proposed.orderUid === trade.orderUid &&
    proposed.executedSell === trade.sellAmount &&
    proposed.executedBuy === trade.buyAmount
  )
}
