import { maxUint256, mulDivDown, mulDivUp } from '../../domain/amount.ts'
import { Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import { hexSize } from '../../domain/evm/hex.ts'
import type { Interaction, OrderKind } from '../../domain/order/order.ts'
import { settlementGas } from '../../domain/settlement/gas.ts'
import { nonsense, printable } from '../../outside/fault.ts'

/** One exact amount of one pair, asked outside. The tokens differ; the native coin is asked for in its wrapped form. */
export interface OutsideQuestion {
  kind: OrderKind
  sellToken: Address
  buyToken: Address
  /** Sell atoms of a sell order, buy atoms of a buy order. */
  amount: bigint
}

/** The sell amount of a buy order that asks for a price: more than anybody has, so that no limit binds. */
export const unboundedSellAmount = 2n ** 144n

export interface ClaimedExecution {
  preInteractions: readonly Interaction[]
  interactions: readonly Interaction[]
  txOrigin: Address | null
}

/** What somebody outside says a trade would come to. Nothing of it is known to be true. */
export interface Claim {
  sellAmount: bigint
  buyAmount: bigint
  gas: bigint
  /** null where it needs more than a settlement of this trade alone can show. */
  execution: ClaimedExecution | null
}

/** What was read from an answer, before it was looked at. */
export interface RawClaim {
  /** The side that was not asked for; `undefined` where a price is missing. */
  computed: bigint | undefined
  /** `undefined` when the answer does not say: then as much as a settlement with its calls is taken to use. */
  gas: bigint | undefined
  calls: ClaimedExecution
  playable: boolean
}

/** @throws Refusal NoLiquidity when nothing is traded, or no gas used; OutsideFault when it makes no sense */
export function toClaim(
  name: string,
  question: OutsideQuestion,
  { computed, gas, calls, playable }: RawClaim,
  vaultRelayer: Address,
): Claim {
  const { kind, amount } = question
  if (computed === undefined) throw nonsense(name, 'a price is missing')
  if (computed > (kind === 'sell' ? maxUint256 : unboundedSellAmount))
    throw nonsense(name, 'an amount is out of range')
  const all = [...calls.preInteractions, ...calls.interactions]
  if (all.some(({ target }) => target === vaultRelayer)) throw nonsense(name, 'it calls the vault relayer')
  if (calldataSize(all) > maxCalldata) throw nonsense(name, 'no transaction holds this much calldata')
  const units = gas ?? settlementGas(1, calls.interactions.length)
  if (computed === 0n || units === 0n)
    throw new Refusal('NoLiquidity', 'no route trades this pair at this size')
  return {
    sellAmount: kind === 'sell' ? amount : computed,
    buyAmount: kind === 'sell' ? computed : amount,
    gas: units,
    execution: playable ? calls : null,
  }
}

/** Of one transaction: nodes take no larger ones. */
const maxCalldata = 128 * 1_024

function calldataSize(calls: readonly Interaction[]): number {
  return calls.reduce((sum, { callData }) => sum + hexSize(callData), 0)
}

/**
 * What uniform prices give for the amount asked for, rounded against the trader: the buy amount down, the sell amount up.
 * @param fee sell atoms: part of what is sold in a sell order, on top of it in a buy order
 */
export function amountAtPrices(
  { kind, sellToken, buyToken, amount }: OutsideQuestion,
  prices: ReadonlyMap<Address, bigint>,
  fee = 0n,
): bigint | undefined {
  const [sell, buy] = [prices.get(sellToken), prices.get(buyToken)]
  if (!sell || !buy) return undefined
  return kind === 'sell' ? mulDivDown(amount - fee, sell, buy) : mulDivUp(amount, buy, sell) + fee
}

const knownReasons = [
  'TradingOutsideAllowedWindow',
  'TokenTemporarilySuspended',
  'InsufficientLiquidity',
] as const

/** A solver's own reason not to trade, in its own words as far as they can be shown. Codes are told in camel or Pascal case. */
export function refusalOf(code: string, text: string | null | undefined): Refusal {
  const message = printable(text ?? '') ?? 'the solver gives no reason'
  const reason = knownReasons.find((reason) => reason.toLowerCase() === code.toLowerCase())
  return new Refusal(reason ?? 'CustomSolverError', message)
}
