import type { ProtocolLog } from '../chain/logs/chain-logs.ts'
import type { SettledLog, TradeLog } from '../chain/logs/settlement-logs.ts'
import type { DecodedSettlement } from '../chain/settlement/call.ts'
import type { MinedSettlements } from '../chain/settlement/mined.ts'
import type { ProposedExecution, StoredSolution } from '../domain/auction/competition.ts'
import { auctionKey, auctionNumber } from '../domain/auction/key.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import type { FeePolicy } from '../domain/fee/policy.ts'
import type { Order, OrderUid } from '../domain/order/order.ts'
import { type FeeTaken, settlementAmounts, type TokenChanges } from '../domain/settlement/accounting.ts'
import { settlementFees } from '../domain/settlement/fees.ts'
import { wrappedForm } from '../domain/token/token.ts'
import { policyKey, pricesOfAuctions } from '../storage/auction/auctions.ts'
import type { ChainFacts } from '../storage/chain/indexed-logs.ts'
import type { Tx } from '../storage/database/database.ts'
import { hasTransaction } from './block-range.ts'
import type { Solvers } from './solvers.ts'

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
export interface MinedSettlement extends Pick<MinedSettlements, 'effectiveGasPrice'> {
  call: DecodedSettlement | undefined
  /** Its solver; undefined while it is not known. */
  solver: Address | undefined
  /** Gas of its transaction; 0 for a further settlement in it, so that sums count it once. */
  gasUsed: bigint | null
  changes: TokenChanges | null
}

/** Mined data by settlement: those of a transaction follow each other as their logs do. */
export function settlementRows(
  groups: readonly LoggedSettlement[],
  transactions: ReadonlyMap<Bytes32, MinedSettlements>,
  solvers: Solvers,
): Map<LoggedSettlement, MinedSettlement> {
  const mined = new Map<LoggedSettlement, MinedSettlement>()
  for (const [txHash, { calls, gasUsed, changes, effectiveGasPrice }] of transactions) {
    const ofTransaction = groups.filter(({ settlement }) => settlement.txHash === txHash)
    for (const [index, group] of ofTransaction.entries()) {
      const found =
        typeof calls !== 'string' && calls.length === ofTransaction.length ? calls[index] : undefined
      mined.set(group, {
        effectiveGasPrice,
        call: found?.call,
        solver: found && solvers.outermost(found.callers, group.settlement),
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
 * The stored solution that a settlement executed: of the auction it names, by its solver, with exactly its
 * traded amounts (a winner of a followed order book may trade others), and not hours after the auction. The
 * number is a claim: other services share the contract, and number their auctions on their own.
 */
export function attribute(
  { settlement, trades }: LoggedSettlement,
  mined: MinedSettlement | undefined,
  { solutions, executions, lastBlocks }: Competitions,
): StoredSolution | undefined {
  const number = mined?.call?.auctionId
  if (!mined || number == null || trades.length === 0) return undefined
  const candidates = solutions.filter(
    ({ auctionId, solver }) =>
      auctionNumber(auctionId) === number &&
      solver === mined.solver &&
      settlement.blockNumber <= (lastBlocks.get(auctionId) ?? -1),
  )
  const matches = ({ auctionId, uid }: StoredSolution, isMatch: typeof isSame) => {
    const proposed = executions.filter(
      (execution) => execution.auctionId === auctionId && execution.solutionUid === uid,
    )
    // A solution contains an order once, so equal lengths make this a one-to-one match.
    return (
      proposed.length === trades.length &&
      proposed.every((execution) => trades.some((trade) => isMatch(execution, trade)))
    )
  }
  return (
    candidates.find((solution) => matches(solution, isSame)) ??
    candidates.find(
      (solution) => solution.isWinner && solution.auctionId !== number && matches(solution, isOfSameOrder),
    )
  )
}

/** Other order books let a winner settle other amounts than it proposed. */
function isOfSameOrder({ orderUid }: ProposedExecution, trade: TradeLog): boolean {
  return orderUid === trade.orderUid
}

/** The number of the auction that a call names: calls may end with any eight bytes. */
function calledAuction(mined: MinedSettlement | undefined, chainId: number): bigint | null {
  const number = mined?.call?.auctionId
  return number != null && auctionKey(chainId, number) !== undefined ? number : null
}

function isSame(execution: ProposedExecution, trade: TradeLog): boolean {
  return (
    execution.orderUid === trade.orderUid &&
    execution.executedSell === trade.sellAmount &&
    execution.executedBuy === trade.buyAmount
  )
}

/** Stored data and transactions that logs are interpreted with. */
interface LogRowsContext extends Competitions {
  chainId: number
  /** The time from which a solver that is not known is looked for again. */
  at: Date
  /** Deadline blocks by auction. */
  deadlines: ReadonlyMap<bigint, number>
  /** Orders of the service, by UID. */
  orders: ReadonlyMap<OrderUid, Order>
  mined: ReadonlyMap<LoggedSettlement, MinedSettlement>
  /** Fee policies by auction and order: see `policyKey`. */
  policies: ReadonlyMap<string, FeePolicy[]>
}

export interface LogRows extends Required<ChainFacts> {
  /** Settlements that executed a stored solution. */
  attributed: { group: LoggedSettlement; solution: StoredSolution }[]
}

/** Turns the logs of a range into rows. */
export function logsToRows(
  logs: readonly ProtocolLog[],
  groups: readonly LoggedSettlement[],
  context: LogRowsContext,
): LogRows {
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
        solver: mined?.solver ?? group.settlement.solver,
        solverDue: mined && !mined.solver ? context.at : null,
        auctionId: solution?.auctionId ?? null,
        solutionUid: solution?.uid ?? null,
        deadlineBlock: (solution && context.deadlines.get(solution.auctionId)) ?? null,
        calledAuction: calledAuction(mined, context.chainId),
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
  context: LogRowsContext,
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
    const { feeToken, ...charged } = fees
    return [
      {
        orderId: order.id,
        auctionId,
        executedFeeToken: feeToken,
        blockNumber: trade.blockNumber,
        ...charged,
      },
    ]
  })
}

type Attributed = LogRows['attributed'][number]

/**
 * The rows of settlements, with the fees and balance changes by token of those of the service's auctions, at
 * the auctions' prices. null without known changes.
 */
export async function withAmounts(
  tx: Tx,
  facts: LogRows,
  context: LogRowsContext,
  wrappedNative: Address | undefined,
): Promise<LogRows['settlements']> {
  const measured = facts.attributed.flatMap((attributed) => {
    const changes = context.mined.get(attributed.group)?.changes
    return changes
      ? [{ ...attributed, changes, fees: feesOf(attributed, facts, context, wrappedNative) }]
      : []
  })
  if (measured.length === 0) return facts.settlements
  const tokens = measured.flatMap(({ fees, changes }) => [
    ...fees.map(({ token }) => token),
    ...changes.keys(),
  ])
  const ids = measured.map(({ solution }) => solution.auctionId)
  const prices = await pricesOfAuctions(tx, [...new Set(ids)], [...new Set(tokens)])
  const amounts = new Map(
    measured.map(({ group, solution, fees, changes }) => [
      group.settlement.logIndex + group.settlement.txHash,
      settlementAmounts(fees, changes, prices.get(solution.auctionId) ?? new Map()),
    ]),
  )
  return facts.settlements.map((row) => ({ ...row, amounts: amounts.get(row.logIndex + row.txHash) ?? null }))
}

/** Fees of each trade, by the records of the auction. */
function feesOf(
  { group, solution: { auctionId } }: Attributed,
  { executions }: LogRows,
  { orders, policies }: LogRowsContext,
  wrappedNative: Address | undefined,
): FeeTaken[] {
  const settled = (token: Address) => (wrappedNative ? wrappedForm(token, wrappedNative) : token)
  return group.trades.flatMap(({ orderUid }): FeeTaken[] => {
    const id = orders.get(orderUid)?.id
    const execution = executions.find((each) => each.orderId === id && each.auctionId === auctionId)
    if (!execution || id === undefined) return []
    const { protocolFees, executedFeeToken, networkFee } = execution
    const feePolicies = policies.get(policyKey(auctionId, id)) ?? []
    const byPolicy = protocolFees.map(({ token, amount }, index): FeeTaken => {
      const { kind: policy = null, recipient = null } = feePolicies[index] ?? {}
      return { kind: recipient ? 'partner' : 'protocol', policy, recipient, token: settled(token), amount }
    })
    const network = {
      policy: null,
      recipient: null,
      token: settled(executedFeeToken),
      amount: networkFee ?? 0n,
    }
    return [...byPolicy, { kind: 'network', ...network }]
  })
}
