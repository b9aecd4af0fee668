import type { QuoteInput } from './documents.generated.ts'
import type { Input } from './scalars.ts'
import { appDataHash, type SignedOrder } from './typed-data.ts'

/** The demands on a quote before it is signed. Nothing here takes the word of a service. */

/** The amounts of a quote. */
export interface QuotedAmounts {
  sellAmount: string | bigint
  buyAmount: string | bigint
  feeAmount: string | bigint
  /** The protocol’s volume fees, which the amounts have paid. */
  protocolFeeBps?: string | null
}

/** A quote as it was answered. */
export interface AnsweredQuote {
  /** The order to sign. */
  order: SignedOrder
  owner: string
  /** The text of the app data document, or its hash. */
  document: string
  quoted: QuotedAmounts
}

/** Seconds of a quote without a validity. */
const defaultValidFor = 1_800

/** Seconds by which the clock of the service may differ. */
const clockSkew = 120

const emptyDocument = appDataHash('{}')
/** The hash that no document has. */
const noDocument = `0x${'0'.repeat(64)}`

const isHash = (text: string) => /^0x[0-9a-fA-F]{64}$/.test(text)

/** The members in which the order is not the one that the input of the quote demands. */
function differences(
  { order, owner, quoted }: AnsweredQuote,
  input: Input<QuoteInput>,
): (keyof SignedOrder)[] {
  const { sellBeforeFee, sellAfterFee, buyAfterFee } = input.amount
  const demanded: Partial<SignedOrder> = {
    sellToken: input.sellToken.toLowerCase(),
    buyToken: input.buyToken.toLowerCase(),
    receiver: (input.receiver ?? owner).toLowerCase(),
    kind: buyAfterFee === undefined ? 'sell' : 'buy',
    feeAmount: '0',
    sellTokenBalance: (input.sellTokenBalance ?? 'ERC20').toLowerCase(),
    buyTokenBalance: (input.buyTokenBalance ?? 'ERC20').toLowerCase(),
    partiallyFillable: false,
    ...(sellBeforeFee !== undefined && { sellAmount: String(sellBeforeFee) }),
    ...(buyAfterFee !== undefined && { buyAmount: String(buyAfterFee) }),
  }
  const wrong = Object.entries(demanded)
    .filter(([name, value]) => order[name as keyof SignedOrder] !== value)
    .map(([name]) => name as keyof SignedOrder)
  if (sellAfterFee !== undefined && !addsFee(order, BigInt(sellAfterFee), quoted)) wrong.push('sellAmount')
  if (!appDataOf(input).includes(order.appData)) wrong.push('appData')
  const { validFor, validTo } = input.validity ?? {}
  const latest = validTo ?? Date.now() / 1_000 + (validFor ?? defaultValidFor) + clockSkew
  if (!(order.validTo <= latest)) wrong.push('validTo')
  return wrong
}

/** The hashes of app data that the input allows: without app data, that of an empty document or of none. */
function appDataOf({ appData, appDataHash: named }: Input<QuoteInput>): string[] {
  if (typeof named === 'string') return [named.toLowerCase()]
  if (typeof appData !== 'string') return [emptyDocument, noDocument]
  return [isHash(appData) ? appData.toLowerCase() : appDataHash(appData)]
}

/** The quoted fee comes on top of the amount, and is not more than the amount itself. */
function addsFee({ sellAmount }: SignedOrder, amount: bigint, { feeAmount }: QuotedAmounts): boolean {
  const fee = BigInt(feeAmount)
  return fee <= amount && BigInt(sellAmount) === amount + fee
}

const bpsScale = 10_000n
/** Protocol fees in basis points that are believed: partners take a share of what is there before them. */
const maxProtocolBps = 1_000
/** Atoms by which the roundings of fees and slippage may differ. */
const roundings = 4n

/**
 * Reports whether the limit is not worse than the quoted price less the partners’ fees and the slippage: the
 * buy amount of a sale, the sell amount of a purchase.
 */
function keepsQuote({ order, document, quoted }: AnsweredQuote, slippageBps: number): boolean {
  const [sell, buy, fee] = [BigInt(quoted.sellAmount), BigInt(quoted.buyAmount), BigInt(quoted.feeAmount)]
  const [slippage, share] = [BigInt(slippageBps), partnerBps(document)]
  if (sell <= 0n || buy <= 0n || fee < 0n || slippage < 0n || slippage > bpsScale) return false
  if (order.kind === 'buy') {
    const paid = (sell + fee) * bpsScale + sell * share
    return (BigInt(order.sellAmount) - roundings) * bpsScale ** 2n <= paid * (bpsScale + slippage)
  }
  // Partners take their share of what would be bought without any fee.
  const protocolBps = BigInt(Math.min(Math.ceil(Number(quoted.protocolFeeBps ?? 0)) || 0, maxProtocolBps))
  const free = (buy * (sell + fee) * bpsScale) / (sell * (bpsScale - protocolBps))
  const got = buy * bpsScale - free * share
  return (
    BigInt(order.buyAmount) > 0n &&
    (BigInt(order.buyAmount) + roundings) * bpsScale ** 2n >= got * (bpsScale - slippage)
  )
}

/** The usual slippage of a quote, in basis points. */
const usualSlippageBps = 50
/** The most that a service may measure with `slippage: AUTO`. */
const maxMeasuredBps = 1_000

/**
 * The slippage of a limit, in basis points.
 * @param named that of the caller
 * @param measured that of the service, where the caller asks for it
 */
export const acceptedSlippage = (named: number | undefined, measured: number | undefined): number =>
  named ?? Math.min(measured ?? usualSlippageBps, maxMeasuredBps)

/** The members in which a quote is not the demanded one. Its limit is looked at only if the rest is right. */
export function unmetDemands(
  answered: AnsweredQuote,
  input: Input<QuoteInput>,
  slippageBps: number,
): (keyof SignedOrder)[] {
  const wrong = differences(answered, input)
  if (wrong.length > 0 || keepsQuote(answered, slippageBps)) return wrong
  return [limitOf(answered.order)]
}

/** The member that is the limit. */
const limitOf = ({ kind }: SignedOrder) => (kind === 'buy' ? 'sellAmount' : 'buyAmount')

/** The volume fees of partners in basis points, as the document names them. */
function partnerBps(document: string): bigint {
  try {
    const fees = [JSON.parse(document)?.metadata?.partnerFee ?? []].flat()
    const bps = fees.map((fee) => fee?.volumeBps ?? fee?.bps ?? 0).filter((one) => one > 0)
    return BigInt(bps.reduce((sum, one) => sum + one, 0))
  } catch {
    return 0n
  }
}
