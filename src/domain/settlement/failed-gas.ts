import { divUp } from '../amount.ts'
import { type Address, nativeMarker } from '../evm/address.ts'

/** A failed transaction of a settlement, whose gas the service paid. */
export interface FailedSettlement {
  /** Gas units that it used. */
  gas: bigint
  /** Its placed orders. */
  orders: readonly FailedOrder[]
  /** The cause that trials found; null if they found none. */
  cause: { orders: readonly bigint[]; tokens: readonly Address[] } | null
}

export interface FailedOrder {
  id: bigint
  /** The account that the order concerns. */
  account: Address
  sellToken: Address
  buyToken: Address
  /** True if the order has hooks, or a contract checks its signature. */
  hasOwnCode: boolean
}

export interface Trades {
  /** Trades of auctions within the day, by the token that was sold or bought. */
  ofToken: ReadonlyMap<Address, number>
  /** The same by their owner. */
  ofAccount: ReadonlyMap<Address, number>
}

/**
 * The gas of failed transactions that the service pays within a day before it does without the order, the
 * account or the token, in gas units. A failed transaction uses 100,000 to 300,000.
 */
export const failedGasLimits = { order: 1_000_000n, account: 2_000_000n, token: 4_000_000n }
/** The gas that each trade of a token or an account adds to its limit: what such a trade costs. */
const allowedGasOfTrade = 100_000n

/** The gas of failed transactions, by what exceeds its limit with it. */
export interface ExceededGas {
  orders: ReadonlyMap<bigint, bigint>
  accounts: ReadonlyMap<Address, bigint>
  tokens: ReadonlyMap<Address, bigint>
}

export const nothingExceeded: ExceededGas = { orders: new Map(), accounts: new Map(), tokens: new Map() }

/**
 * Charges each failed transaction to the orders that are its cause, in equal parts, to their accounts, and to
 * tokens: those that are the cause; else, for an order without code of its own, the token of the two that is
 * traded less, since the other token works.
 */
export function exceededGas(
  failed: readonly FailedSettlement[],
  { ofToken, ofAccount }: Trades,
  wrappedNative: Address,
): ExceededGas {
  const orders = new Map<bigint, bigint>()
  const accounts = new Map<Address, bigint>()
  const tokens = new Map<Address, bigint>()
  const tradesOf = (token: Address) => ofToken.get(token) ?? 0
  for (const { gas, orders: traded, cause } of failed) {
    const charged = traded.filter(({ id }) => cause?.orders.includes(id) ?? true)
    const share = divUp(gas, BigInt(Math.max(charged.length, 1)))
    for (const { id, account } of charged) {
      add(orders, id, share)
      add(accounts, account, share)
    }
    const named = cause?.tokens ?? []
    for (const token of named) add(tokens, token, divUp(gas, BigInt(named.length)))
    if (named.length > 0) continue
    for (const { sellToken, buyToken } of charged.filter(({ hasOwnCode }) => !hasOwnCode)) {
      const usual = [wrappedNative, nativeMarker]
      const two = [sellToken, buyToken].filter((token) => !usual.includes(token))
      const min = Math.min(...two.map(tradesOf))
      for (const token of two.filter((each) => tradesOf(each) === min)) add(tokens, token, share)
    }
  }
  const allowed = (limit: bigint, trades: number) => limit + allowedGasOfTrade * BigInt(trades)
  return {
    orders: above(orders, () => failedGasLimits.order),
    accounts: above(accounts, (account) => allowed(failedGasLimits.account, ofAccount.get(account) ?? 0)),
    tokens: above(tokens, (token) => allowed(failedGasLimits.token, tradesOf(token))),
  }
}

function add<Key>(sums: Map<Key, bigint>, key: Key, gas: bigint): void {
  sums.set(key, (sums.get(key) ?? 0n) + gas)
}

function above<Key>(sums: ReadonlyMap<Key, bigint>, limitOf: (key: Key) => bigint): Map<Key, bigint> {
  return new Map([...sums].filter(([key, gas]) => gas > limitOf(key)))
}
