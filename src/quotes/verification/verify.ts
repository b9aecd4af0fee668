import type { CheckTrade, TradeAnswer } from '../../chain/trade/check.ts'
import { maxOf, minOf, mulDivDown, mulDivUp } from '../../domain/amount.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Interaction } from '../../domain/order/order.ts'
import type { Estimate, EstimateRequest, Execution } from '../estimator.ts'

/** The order that an estimate is for. */
export interface VerifiedTrade {
  ask: EstimateRequest
  from: Address
  receiver: Address | null
  preHooks: readonly Interaction[]
  postHooks: readonly Interaction[]
  /** Counts the gas of each simulation. */
  onGas?(gas: bigint): void
}

interface VerifyDeps {
  checkTrade: CheckTrade
  /** The fraction, 0 to 1, by which a simulation may fall short of the estimate. */
  maxInaccuracy: number
  /** Tokens that the settlement contract is likely to hold. */
  baseTokens: readonly Address[]
}

export type Verification =
  /** The estimate with the amounts and the gas of the simulation. */
  | { verdict: 'held'; estimate: Estimate }
  | { verdict: 'refuted'; reason: string }
  /** The verdict on an estimate that could not be simulated. */
  | { verdict: 'unplayable' }

interface Amounts {
  sellAmount: bigint
  buyAmount: bigint
}

type Settled = Extract<TradeAnswer, { outcome: 'settled' }>

const million = 1_000_000n
/** The tolerance in atoms: tokens that count in shares lose one or two atoms in a transfer. */
const dust = 2n

/**
 * Simulates the estimate as a settlement of this order alone. The simulated trade is worse by the tolerance;
 * the settlement contract's surplus shows the real amounts.
 * @throws Outage
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
  const simulated = withTolerance(ask, estimate, BigInt(Math.round(maxInaccuracy * Number(million))))
  const answer = await checkTrade(
    {
      kind: ask.kind,
      sellToken: ask.sellToken,
      buyToken: ask.buyToken,
      from,
      receiver,
      block,
      ...simulated,
      preInteractions: [...execution.preInteractions, ...preHooks],
      interactions: execution.interactions,
      postInteractions: postHooks,
      others: estimate.standing === 'claimed' ? tokensAtRisk(execution, baseTokens) : [],
      txOrigin: execution.txOrigin ?? solver,
    },
    signal,
  )
  if (!answer) return { verdict: 'unplayable' }
  trade.onGas?.(answer.gas)
  if (answer.outcome === 'failed') return { verdict: 'refuted', reason: answer.reason }
  const fault = shortfall(ask, simulated, answer) ?? transferLoss(trade, simulated, answer)
  if (fault) return { verdict: 'refuted', reason: fault }
  const amounts = actualAmounts(ask, simulated, answer)
  const actual = hasHooks(trade) ? withHooks(estimate, amounts) : { ...amounts, gas: answer.gas }
  return { verdict: 'held', estimate: { ...estimate, ...actual, standing: 'simulated' } }
}

/**
 * The amounts for a trade with hooks: those of the estimate or of the simulation, whichever are worse. The
 * gas and the tokens of hooks cannot be separated from the rest. The hooks' gas limits are counted elsewhere,
 * and a trader must not get a better quote for sending tokens along.
 */
function withHooks({ gas, sellAmount, buyAmount }: Estimate, amounts: Amounts): Amounts & { gas: bigint } {
  return {
    gas,
    sellAmount: maxOf(sellAmount, amounts.sellAmount),
    buyAmount: minOf(buyAmount, amounts.buyAmount),
  }
}

const maxTokensAtRisk = 64

/**
 * The other tokens that a claim's calls could take from the settlement contract: the contracts that they
 * call, and the tokens that it usually holds. A token that only a third contract moves, by an earlier
 * approval, is missing.
 */
function tokensAtRisk(
  { preInteractions, interactions }: Execution,
  baseTokens: readonly Address[],
): Address[] {
  const targets = [...preInteractions, ...interactions].map(({ target }) => target)
  return [...new Set([...baseTokens, ...targets])].slice(0, maxTokensAtRisk)
}

/** The minimum buy amount, or the maximum sell amount, within the tolerance. */
function withTolerance(
  { kind }: EstimateRequest,
  { sellAmount, buyAmount }: Amounts,
  tolerance: bigint,
): Amounts {
  return kind === 'sell'
    ? { sellAmount, buyAmount: maxOf(1n, mulDivUp(buyAmount, million - tolerance, million)) }
    : { sellAmount: mulDivDown(sellAmount, million + tolerance, million), buyAmount }
}

function actualAmounts(
  { kind }: EstimateRequest,
  { sellAmount, buyAmount }: Amounts,
  answer: Settled,
): Amounts {
  return kind === 'sell'
    ? { sellAmount, buyAmount: buyAmount + answer.buySurplus }
    : { sellAmount: sellAmount - answer.sellSurplus, buyAmount }
}

/**
 * The loss of the settlement contract as text. It must not lose either token, because its balances belong to
 * other trades.
 */
function shortfall(ask: EstimateRequest, simulated: Amounts, answer: Settled): string | undefined {
  if (answer.sellSurplus < 0n) return `it takes ${-answer.sellSurplus} atoms too few of the sell token in`
  if (answer.buySurplus < 0n) return `it leaves ${-answer.buySurplus} atoms too few of the buy token`
  const { sellAmount, buyAmount } = actualAmounts(ask, simulated, answer)
  return sellAmount > 0n && buyAmount > 0n ? undefined : 'it trades nothing'
}

/**
 * The loss in the transfer to the receiver as text. It is not checked for orders with hooks, which may move
 * the receiver's tokens.
 */
function transferLoss(trade: VerifiedTrade, { buyAmount }: Amounts, answer: Settled): string | undefined {
  const { sellToken, buyToken } = trade.ask
  if (hasHooks(trade) || sellToken === buyToken || answer.received + dust >= buyAmount) return undefined
  return `of ${buyAmount} atoms that are paid out ${answer.received} arrive`
}

function hasHooks({ preHooks, postHooks }: VerifiedTrade): boolean {
  return preHooks.length + postHooks.length > 0
}
