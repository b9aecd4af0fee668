import type { CheckTrade, TradeAnswer } from '../../chain/trade/check.ts'
import { maxOf, minOf, mulDivDown, mulDivUp } from '../../domain/amount.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Interaction } from '../../domain/order/order.ts'
import type { Ask, Estimate, Execution } from '../estimator.ts'

/** The order that an estimate is meant for. */
export interface VerifiedTrade {
  ask: Ask
  from: Address
  receiver: Address | null
  preHooks: readonly Interaction[]
  postHooks: readonly Interaction[]
}

export interface VerifyDeps {
  checkTrade: CheckTrade
  /** Part of the promise, 0 to 1, that a simulation may fall short of it. */
  maxInaccuracy: number
  /** Tokens that the settlement contract is likely to hold. */
  baseTokens: readonly Address[]
}

export type Verification =
  /** Its amounts are what the settlement contract did, and so is its gas. */
  | { verdict: 'held'; estimate: Estimate }
  | { verdict: 'refuted'; reason: string }
  /** Nothing was learned. */
  | { verdict: 'unplayable' }

interface Amounts {
  sellAmount: bigint
  buyAmount: bigint
}

type Settled = Extract<TradeAnswer, { outcome: 'settled' }>

const million = 1_000_000n
/** Tokens that count in shares lose an atom or two in a transfer. */
const dust = 2n

/**
 * Plays the estimate as a settlement of this order alone. The trade that is played leaves the tolerance over: what it comes to in
 * truth is told by what the settlement contract has left. @throws Outage
 */
export async function verifyEstimate(
  estimate: Estimate,
  trade: VerifiedTrade,
  { checkTrade, maxInaccuracy, baseTokens }: VerifyDeps,
  signal?: AbortSignal,
): Promise<Verification> {
  const { ask, from, receiver, preHooks, postHooks } = trade
  const { execution, block, solver } = estimate
  if (!execution) return { verdict: 'unplayable' }
  const played = toPlay(ask, estimate, BigInt(Math.round(maxInaccuracy * Number(million))))
  const answer = await checkTrade(
    {
      ...{ kind: ask.kind, sellToken: ask.sellToken, buyToken: ask.buyToken, from, receiver, block },
      ...played,
      preInteractions: [...execution.preInteractions, ...preHooks],
      interactions: execution.interactions,
      postInteractions: postHooks,
      others: estimate.standing === 'claimed' ? touched(execution, baseTokens) : [],
      txOrigin: execution.txOrigin ?? solver,
    },
    signal,
  )
  if (!answer) return { verdict: 'unplayable' }
  if (answer.outcome === 'failed') return { verdict: 'refuted', reason: answer.reason }
  const fault = shortfall(ask, played, answer) ?? lostOnTheWay(trade, played, answer)
  if (fault) return { verdict: 'refuted', reason: fault }
  const truth = inTruth(ask, played, answer)
  const held = hasHooks(trade) ? withHooks(estimate, truth) : { ...truth, gas: answer.gas }
  return { verdict: 'held', estimate: { ...estimate, ...held, standing: 'simulated' } }
}

/**
 * What hooks really take can't be told from the rest; their limits are counted elsewhere. Nor can what they bring in: a trader who
 * sends tokens along must not be quoted a better price for it.
 */
function withHooks({ gas, sellAmount, buyAmount }: Estimate, truth: Amounts): Amounts & { gas: bigint } {
  return {
    gas,
    sellAmount: maxOf(sellAmount, truth.sellAmount),
    buyAmount: minOf(buyAmount, truth.buyAmount),
  }
}

const maxTouched = 64

/**
 * What somebody else's calls could take from the settlement contract beside the two tokens: whatever they name, and what it usually has.
 * A token that only a third contract moves, by an approval from long ago, is not seen.
 */
function touched({ preInteractions, interactions }: Execution, baseTokens: readonly Address[]): Address[] {
  const targets = [...preInteractions, ...interactions].map(({ target }) => target)
  return [...new Set([...baseTokens, ...targets])].slice(0, maxTouched)
}

/** The least that may be paid, or the most that may be taken. */
function toPlay({ kind }: Ask, { sellAmount, buyAmount }: Amounts, tolerance: bigint): Amounts {
  return kind === 'sell'
    ? { sellAmount, buyAmount: maxOf(1n, mulDivUp(buyAmount, million - tolerance, million)) }
    : { sellAmount: mulDivDown(sellAmount, million + tolerance, million), buyAmount }
}

function inTruth({ kind }: Ask, { sellAmount, buyAmount }: Amounts, answer: Settled): Amounts {
  return kind === 'sell'
    ? { sellAmount, buyAmount: buyAmount + answer.buySurplus }
    : { sellAmount: sellAmount - answer.sellSurplus, buyAmount }
}

/** The settlement contract must not have less of either token: it would live on what is others'. */
function shortfall(ask: Ask, played: Amounts, answer: Settled): string | undefined {
  if (answer.sellSurplus < 0n) return `it takes ${-answer.sellSurplus} atoms too few of the sell token in`
  if (answer.buySurplus < 0n) return `it leaves ${-answer.buySurplus} atoms too few of the buy token`
  const { sellAmount, buyAmount } = inTruth(ask, played, answer)
  return sellAmount > 0n && buyAmount > 0n ? undefined : 'it trades nothing'
}

/** Hooks may move what the receiver has: then nothing is said here. */
function lostOnTheWay(trade: VerifiedTrade, { buyAmount }: Amounts, answer: Settled): string | undefined {
  const { sellToken, buyToken } = trade.ask
  if (hasHooks(trade) || sellToken === buyToken || answer.received + dust >= buyAmount) return undefined
  return `of ${buyAmount} atoms that are paid out ${answer.received} arrive`
}

function hasHooks({ preHooks, postHooks }: VerifiedTrade): boolean {
  return preHooks.length + postHooks.length > 0
}
