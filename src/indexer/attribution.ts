import type { ProtocolLog } from '../chain/logs/chain-logs.ts'
import type { SettledLog, TradeLog } from '../chain/logs/settlement-logs.ts'
import type { DecodedSettlement } from '../chain/settlement/call.ts'
import type { MinedSettlements } from '../chain/settlement/mined.ts'
import type { ProposedExecution, StoredSolution } from '../domain/auction/competition.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import type { TokenChanges } from '../domain/settlement/account.ts'

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

/** One settlement of a transaction as it was mined. */
export interface MinedSettlement extends Pick<MinedSettlements, 'sender' | 'effectiveGasPrice'> {
  call: DecodedSettlement | undefined
  /** Of its transaction; 0 for a further settlement in it, so that sums count it once. */
  gasUsed: bigint | null
  changes: TokenChanges | null
}

/** What was mined of each settlement: those of a transaction follow each other as their logs do. */
export function minedSettlements(
  groups: readonly LoggedSettlement[],
  transactions: ReadonlyMap<Bytes32, MinedSettlements>,
): Map<LoggedSettlement, MinedSettlement> {
  const mined = new Map<LoggedSettlement, MinedSettlement>()
  for (const [txHash, { calls, gasUsed, changes, ...transaction }] of transactions) {
    const ofTransaction = groups.filter(({ settlement }) => settlement.txHash === txHash)
    for (const [index, group] of ofTransaction.entries()) {
      mined.set(group, {
        ...transaction,
        call: calls.length === ofTransaction.length ? calls[index] : undefined,
        gasUsed: index > 0 && gasUsed !== null ? 0n : gasUsed,
        changes: changes?.length === ofTransaction.length ? (changes[index] ?? null) : null,
      })
    }
  }
  return mined
}

/** Stored data of the auctions that settlements name. */
export interface Competitions {
  solutions: readonly StoredSolution[]
  executions: readonly ProposedExecution[]
  /** The last block in which a settlement of each auction of the network is attributed to it. */
  lastBlocks: ReadonlyMap<bigint, number>
}

/**
 * The stored solution that a settlement executed: of the auction it names, by its solver, with exactly its traded amounts, and not hours
 * after the auction. Other services share the contract, so another settlement with an auction id is not ours. Where another contract
 * called the settlement contract, the sender of the transaction is the solver.
 */
export function attribute(
  { settlement, trades }: LoggedSettlement,
  mined: MinedSettlement | undefined,
  { solutions, executions, lastBlocks }: Competitions,
): StoredSolution | undefined {
  const auctionId = mined?.call?.auctionId
  if (!mined || auctionId == null || trades.length === 0) return undefined
  if (settlement.blockNumber > (lastBlocks.get(auctionId) ?? -1)) return undefined
  const solvers: Address[] = [settlement.solver, mined.sender]
  return solutions.find((solution) => {
    if (solution.auctionId !== auctionId || !solvers.includes(solution.solver)) return false
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
