import { formatUnits } from '../../domain/amount.ts'
import { attemptsFor } from '../../domain/auction/competition.ts'
import { isTerminal, isTerminalCode } from '../../domain/diagnosis/terminal-code.ts'
import { eventWords } from '../../domain/order/event-words.ts'
import { plain } from '../../domain/text/readable.ts'
import type {
  DiagnosisAnswer,
  EventAnswer,
  ExplainedOrder,
  OrderAnswer,
  ReasonAnswer,
  TokenAnswer,
} from './service.ts'

/** One step of an order's story. */
interface Step {
  at: string
  what: string
  /** Codes, and texts of programs. */
  detail: string | null
  /** The codes in words, for people. */
  words?: string
  txHash: string | null
}

/** Its events and the tries to settle it, oldest first. */
export function storyOf({ events, debugReport }: ExplainedOrder): Step[] {
  const attempts = debugReport.auctions.nodes.flatMap(({ auctionId, ...auction }) =>
    attemptsFor(auction).flatMap(
      ({ solver, outcome, detail, txHash, startTimestamp, endTimestamp }): Step[] => {
        const started = {
          at: startTimestamp,
          what: 'SETTLEMENT_STARTED',
          txHash: null,
          detail: `auction ${auctionId}, solver ${solver}`,
        }
        if (endTimestamp === null) return [started]
        const what = outcome === 'SUCCESS' ? 'SETTLED' : `SETTLEMENT_${outcome}`
        return [started, { at: endTimestamp, what, detail, txHash }]
      },
    ),
  )
  return [...events.nodes.map(stepOf), ...attempts].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
}

export function stepOf(event: EventAnswer): Step {
  const { label, reason, detail, source, txHash, timestamp } = event
  const codes = [reason, source && `by ${source}`, detail].filter((word) => word)
  const named = reason === null && source === null ? [] : eventWords(event)
  const words = [named.filter((text) => text !== '').join(': '), detail].filter((word) => word).join(' ')
  return { at: timestamp, what: label, detail: codes.join(', ') || null, words, txHash }
}

/** Output of the commands for people. */

type Pair = Pick<OrderAnswer, 'sellToken' | 'buyToken'>
type Evidence = ReasonAnswer['evidence'][number]

/** Signed terms. */
function termsOf({ sellToken, buyToken, sellAmount, buyAmount, kind }: OrderAnswer): string {
  const [sell, buy] = [amount(sellAmount, sellToken), amount(buyAmount, buyToken)]
  return kind === 'SELL' ? `sells ${sell} for at least ${buy}` : `buys ${buy} for at most ${sell}`
}

/** Amounts traded, or the terms before the first trade. */
export function dealOf(order: OrderAnswer): string {
  const { executedSellAmount, executedBuyAmount, sellToken, buyToken } = order
  if (executedSellAmount === '0') return termsOf(order)
  return `sold ${amount(executedSellAmount, sellToken)} for ${amount(executedBuyAmount, buyToken)}`
}

export function orderLines(order: OrderAnswer): string[] {
  const { sellToken, buyToken, kind } = order
  const [sell, buy] = [amount(order.sellAmount, sellToken), amount(order.buyAmount, buyToken)]
  const filled =
    kind === 'SELL'
      ? `${amount(order.executedSellAmount, sellToken)} of ${sell}`
      : `${amount(order.executedBuyAmount, buyToken)} of ${buy}`
  return [
    `order ${order.uid}`,
    `  ${order.status} on ${order.network.name}, of ${order.owner}`,
    `  ${termsOf(order)}, until ${time(new Date(order.validTo * 1_000).toISOString())}`,
    `  filled: ${filled}`,
  ].map(plain)
}

export function diagnosisLines(diagnosis: DiagnosisAnswer, pair: Pair): string[] {
  // Advice about an order that has ended would be too late.
  const isAdvised = !isTerminal(diagnosis)
  const further = diagnosis.further.flatMap((reason) => [
    '',
    ...reasonLines(reason, pair, isAdvised || isTerminalCode(reason)),
  ])
  return [...reasonLines(diagnosis, pair, true), ...further].map(plain)
}

function reasonLines(
  { code, summary, since, advice, evidence }: ReasonAnswer,
  pair: Pair,
  isAdvised: boolean,
): string[] {
  return [
    `${code}${since ? ` since ${time(since)}` : ''}`,
    `  ${summary}`,
    ...(isAdvised ? [`  ${advice}`] : []),
    ...evidence.map((each) => `  - ${evidenceText(each, pair)}`),
  ]
}

export const storyLines = (steps: readonly Step[]): string[] => steps.map(stepLine)

export function stepLine({ at, what, detail, words = detail ?? '', txHash }: Step): string {
  return plain([time(at), what, words, txHash].filter((word) => word).join('  '))
}

export const time = (iso: string) => `${iso.slice(0, 19).replace('T', ' ')} UTC`

/** Exact amount. */
export function amount(atoms: unknown, { decimals, symbol, address }: TokenAnswer): string {
  if (decimals === null) return `${atoms} atoms of ${address}`
  return `${formatUnits(BigInt(String(atoms)), decimals)} ${nameOf({ symbol, address })}`
}

/**
 * The symbol of a token, or its address where the symbol has other signs than those of a word: a contract may
 * answer with any text, such as one for a shell.
 */
export const nameOf = ({ symbol, address }: Pick<TokenAnswer, 'symbol' | 'address'>): string =>
  symbol !== null && /^[\p{L}\p{N}₮.+_-]{1,20}$/u.test(symbol) ? symbol : address

/** Each known member with its name; amounts in the units of their token. */
function evidenceText({ __typename, token, ...members }: Evidence, pair: Pair): string {
  const own = token as TokenAnswer | undefined
  const words = Object.entries(members)
    .filter(([name, value]) => value !== null && !(name === 'missing' && value === '0'))
    .map(([name, value]) => `${spaced(name)} ${valueText(value, own, pair)}`)
  const named = own && words.length === 0 ? [...new Set([nameOf(own), own.address])] : []
  return (
    [spaced(__typename.replace(/Evidence$/, '')), ...named].join(' ') +
    (words.length > 0 ? `: ${words.join(', ')}` : '')
  )
}

function valueText(value: unknown, token: TokenAnswer | undefined, { sellToken, buyToken }: Pair): string {
  if (isPrice(value)) return `${amount(value.buyAmount, buyToken)} for ${amount(value.sellAmount, sellToken)}`
  return token ? amount(value, token) : String(value)
}

function isPrice(value: unknown): value is { sellAmount: string; buyAmount: string } {
  return typeof value === 'object' && value !== null && 'sellAmount' in value && 'buyAmount' in value
}

/** `dayMovementPercent` as words. */
const spaced = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).trim()
