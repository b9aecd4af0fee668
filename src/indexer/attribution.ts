import type { ProtocolLog } from '../chain/logs/chain-logs.ts'
import type { SettledLog, TradeLog } from '../chain/logs/settlement-logs.ts'
import type { DecodedSettlement } from '../chain/settlement/call.ts'
import type { ProposedExecution, StoredSolution } from '../domain/auction/competition.ts'

/** A settlement with its trades: those logged in its block after the previous settlement. */
export interface LoggedSettlement {
  settlement: SettledLog
  trades: TradeLog[]
}

/** `logs` are sorted by block and log index. */
export function groupSettlements(logs: readonly ProtocolLog[]): LoggedSettlement[] {
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

/** Stored data of the auctions that settlements name. */
export interface Competitions {
  solutions: readonly StoredSolution[]
  executions: readonly ProposedExecution[]
}

/**
 * The stored solution that a settlement executed: of the auction it names, by its solver, with exactly its traded amounts.
 * Other services share the contract, so another settlement with an auction id is not ours.
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
      (execution) => execution.auctionId === auctionId && execution.solutionUid === solution.uid,
    )
    // A solution contains an order once, so equal lengths make this a one-to-one match.
    return (
      proposed.length === trades.length &&
      proposed.every((execution) => trades.some((trade) => isSame(execution, trade)))
    )
  })
}

function isSame(execution: ProposedExecution, trade: TradeLog): boolean {
  return (
    execution.orderUid === trade.orderUid &&
    execution.executedSell === trade.sellAmount &&
    execution.executedBuy === trade.buyAmount
  )
}
