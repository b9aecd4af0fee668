import { zeroAppData } from '../../domain/app-data/document.ts'
import { type Address, zeroAddress } from '../../domain/evm/address.ts'
import { type OrderUid, packOrderUid } from '../../domain/order/order.ts'
import { invalidResponse } from '../../outside/fault.ts'
import {
  amountAtPrices,
  type OutsideQuestion,
  type QuoteClaim,
  toClaim,
  unboundedSellAmount,
} from '../outside/quote.ts'
import type { EngineSolution } from './client.ts'
import { type CallsOptions, engineCalls } from './interactions.ts'
import type { EngineOrder } from './request.ts'

/** The UID of a quote's order, which no wallet owns or can sign. */
export const quoteUid: OrderUid = packOrderUid(zeroAppData, zeroAddress, 0)

const maxUint32 = 2 ** 32 - 1

/** The only order of an auction for a quote. Its limit price never binds. */
export function quoteOrder({ kind, sellToken, buyToken, amount }: OutsideQuestion): EngineOrder {
  const [sellAmount, buyAmount] = kind === 'sell' ? [amount, 1n] : [unboundedSellAmount, amount]
  return {
    uid: quoteUid,
    sellToken,
    buyToken,
    sellAmount,
    fullSellAmount: sellAmount,
    buyAmount,
    fullBuyAmount: buyAmount,
    validTo: maxUint32,
    kind,
    receiver: null,
    owner: zeroAddress,
    partiallyFillable: false,
    sellTokenSource: 'erc20',
    buyTokenDestination: 'erc20',
    class: 'market',
    appData: zeroAppData,
    signingScheme: 'presign',
    signature: '0x',
    feePolicies: [],
    quote: null,
    preInteractions: [],
    postInteractions: [],
  }
}

interface ReadOptions extends CallsOptions {
  /** The engine's name in messages. */
  name: string
  vaultRelayer: Address
}

/**
 * The price in the first solution that trades the order of the quote; undefined if none does.
 * @throws Refusal NoLiquidity if it trades nothing; OutsideFault if it is invalid
 */
export function readEngineQuote(
  solutions: readonly EngineSolution[],
  question: OutsideQuestion,
  options: ReadOptions,
): QuoteClaim | undefined {
  const solution = solutions.find(({ trades }) => trades.some(({ kind }) => kind === 'fulfillment'))
  if (!solution) return undefined
  const { name, vaultRelayer } = options
  const fee = feeOf(solution, question, name)
  if (calledOrApproved(solution).includes(vaultRelayer))
    throw invalidResponse(name, 'it calls or approves the vault relayer')
  const interactions = engineCalls(solution.interactions, options)
  if (!interactions)
    throw invalidResponse(name, 'it uses an unknown pool, or takes more from one than it pays')
  const raw = {
    computed: amountAtPrices(question, solution.prices, fee),
    gas: solution.gas ?? undefined,
    calls: { preInteractions: solution.preInteractions, interactions, txOrigin: null },
    playable: isPlayable(solution),
  }
  return toClaim(name, question, raw, vaultRelayer)
}

/** The fee of the only trade, in sell atoms beyond its executed amount. */
function feeOf({ trades }: EngineSolution, { kind, amount }: OutsideQuestion, name: string): bigint {
  const [trade, second] = trades.filter((one) => one.kind === 'fulfillment')
  if (!trade || second || trade.order !== quoteUid)
    throw invalidResponse(name, 'it trades an order that is not in the auction')
  const { executedAmount, fee } = trade
  const filled = kind === 'sell' ? executedAmount + fee : executedAmount
  if (filled !== amount) throw invalidResponse(name, 'it trades another amount')
  return fee
}

/**
 * Reports whether the solution can be simulated as a settlement of one trade: post interactions, other
 * orders, loans and wrappers cannot.
 */
function isPlayable({ trades, postInteractions, flashloans, wrappers }: EngineSolution): boolean {
  return trades.length === 1 && postInteractions.length + flashloans.size + wrappers.length === 0
}

/** The spenders, and the targets of post interactions; `toClaim` checks the other targets. */
function calledOrApproved({ interactions, postInteractions }: EngineSolution): Address[] {
  const spenders = interactions.flatMap((one) =>
    one.kind === 'custom' ? one.allowances.map(({ spender }) => spender) : [],
  )
  return [...spenders, ...postInteractions.map(({ target }) => target)]
}
