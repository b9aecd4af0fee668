import { maxUint256, mulDivDown, mulDivUp } from '../../domain/amount.ts'
import { Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import { hexSize } from '../../domain/evm/hex.ts'
import type { Interaction, OrderKind } from '../../domain/order/order.ts'
import { settlementGas } from '../../domain/settlement/gas.ts'
import { invalidResponse, printable } from '../../outside/fault.ts'

/**
 * A request to an outside estimator: one exact amount of one pair. The tokens differ; the native coin has its
 * wrapped form.
 */
export interface OutsideQuestion {
  kind: OrderKind
  sellToken: Address
  buyToken: Address
  /** The fixed amount: sell atoms of a sell order, buy atoms of a buy order. */
  amount: bigint
}

/** The sell amount of a buy order in a price request: more than any balance, so its limit never binds. */
export const unboundedSellAmount = 2n ** 144n

interface ClaimedExecution {
  preInteractions: readonly Interaction[]
  interactions: readonly Interaction[]
  txOrigin: Address | null
}

/** An outside estimator's claim about a trade, not verified. */
export interface QuoteClaim {
  sellAmount: bigint
  buyAmount: bigint
  gas: bigint
  /** The calls; null if a settlement of this trade alone cannot simulate them. */
  execution: ClaimedExecution | null
}

/** The data of a response before the checks. */
interface RawClaim {
  /** The amount that the question does not fix; undefined if a price is missing. */
  computed: bigint | undefined
  /**
   * The gas; undefined if the response has none. Then the gas of a settlement with these calls is assumed.
   */
  gas: bigint | undefined
  calls: ClaimedExecution
  playable: boolean
}

/**
 * Checks a claim.
 * @throws Refusal NoLiquidity if nothing is traded, or no gas used; OutsideFault if it is invalid
 */
export function toClaim(
  name: string,
  question: OutsideQuestion,
  { computed, gas, calls, playable }: RawClaim,
  vaultRelayer: Address,
): QuoteClaim {
  const { kind, amount } = question
  if (computed === undefined) throw invalidResponse(name, 'a price is missing')
  if (computed > (kind === 'sell' ? maxUint256 : unboundedSellAmount))
    throw invalidResponse(name, 'an amount is out of range')
  const allCalls = [...calls.preInteractions, ...calls.interactions]
  if (allCalls.some(({ target }) => target === vaultRelayer))
    throw invalidResponse(name, 'it calls the vault relayer')
  if (calldataSize(allCalls) > maxCalldata)
    throw invalidResponse(name, 'no transaction holds this much calldata')
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

/** The maximum calldata of a transaction that nodes accept, in bytes. */
const maxCalldata = 128 * 1_024

function calldataSize(calls: readonly Interaction[]): number {
  return calls.reduce((sum, { callData }) => sum + hexSize(callData), 0)
}

/**
 * The other amount at uniform prices, rounded against the trader: the buy amount down, the sell amount up.
 * @param fee sell atoms: included in a sell order's amount, added to a buy order's sell amount
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

/**
 * The refusal with a solver's own reason, and its message if that is printable. Solvers write codes in camel
 * or Pascal case.
 */
export function refusalIn(code: string, text: string | null | undefined): Refusal {
  const message = printable(text ?? '') ?? 'the solver gives no reason'
  const reason = knownReasons.find((reason) => reason.toLowerCase() === code.toLowerCase())
  return new Refusal(reason ?? 'CustomSolverError', message)
}
