import { priceScale } from '../amount.ts'
import type { Address } from '../evm/address.ts'
import type { FeePolicy } from '../fee/policy.ts'

/** What the settlement contract got of each token; negative for what left it. The native coin counts as its wrapped form. */
export type TokenChanges = ReadonlyMap<Address, bigint>

export const feeKinds = ['network', 'protocol', 'partner'] as const

/** A fee that a trade of a settlement paid. */
export interface FeeTaken {
  kind: (typeof feeKinds)[number]
  /** null for the network fee. */
  policy: FeePolicy['kind'] | null
  /** Of a partner fee. */
  recipient: Address | null
  token: Address
  amount: bigint
}

/** A sum of fees, or what is left beside them, which can be negative. */
export interface SettlementAmount extends Omit<FeeTaken, 'kind'> {
  kind: FeeTaken['kind'] | 'slippage'
  /** Native atoms, rounded down; null without a price. */
  value: bigint | null
}

/** By token: native atoms for 10^18 atoms. */
export type Prices = ReadonlyMap<Address, bigint>

/** Fees by kind, policy, recipient and token, then slippage by token: what the contract got, less the fees. Zeros are left out. */
export function settlementAmounts(
  fees: readonly FeeTaken[],
  changes: TokenChanges,
  prices: Prices,
): SettlementAmount[] {
  const got = [...changes].map(([token, amount]) => ({ token, amount }))
  const slippage = [...got, ...fees.map(({ token, amount }) => ({ token, amount: -amount }))].map(
    (change) => ({ kind: 'slippage' as const, policy: null, recipient: null, ...change }),
  )
  const sums = new Map<string, Omit<SettlementAmount, 'value'>>()
  for (const { kind, policy, recipient, token, amount } of [...fees, ...slippage]) {
    const key = [kind, policy, recipient, token].join()
    const sum = sums.get(key)
    if (sum) sum.amount += amount
    else sums.set(key, { kind, policy, recipient, token, amount })
  }
  return [...sums.values()]
    .filter(({ amount }) => amount !== 0n)
    .map((sum) => ({ ...sum, value: nativeValueDown(sum.amount, prices.get(sum.token)) }))
}

/** Towards minus infinity, so that what is owed to a solver is never more than its worth. */
function nativeValueDown(amount: bigint, price: bigint | undefined): bigint | null {
  if (price === undefined) return null
  const product = amount * price
  const isRounded = product < 0n && product % priceScale !== 0n
  return product / priceScale - (isRounded ? 1n : 0n)
}

/** A settlement is attributed to an auction until this long after the auction's deadline. */
const latestMs = 6 * 3_600_000

/** The last block in which a settlement is attributed to an auction with this deadline. */
export function lastAttributedBlock(deadlineBlock: number, blockTimeMs: number): number {
  return deadlineBlock + Math.ceil(latestMs / blockTimeMs)
}

/** The earliest deadline of auctions that a settlement in this block may belong to. */
export function earliestDeadline(block: number, blockTimeMs: number): number {
  return block - Math.ceil(latestMs / blockTimeMs)
}

/** What a solver earned and owes for a range of blocks. Amounts in native atoms. */
export interface SolverAccount {
  solver: Address
  wins: number
  score: bigint
  missedScore: bigint
  referenceScore: bigint
  settlements: number
  gasUsed: bigint
  gasCost: bigint
  revertedAttempts: number
  revertedGas: bigint
  revertedGasCost: bigint
  cancellations: number
  cancellationGas: bigint
  cancellationGasCost: bigint
  networkFees: bigint
  protocolFees: bigint
  partnerFees: bigint
  slippage: bigint
  settlementsWithoutGas: number
  settlementsWithoutAmounts: number
  unpricedAmounts: number
}

const longestRangeMs = 7 * 86_400_000

/** The most blocks of which clients get accounts at once: a week. */
export function longestAccountRange(blockTimeMs: number): number {
  return Math.ceil(longestRangeMs / blockTimeMs)
}
