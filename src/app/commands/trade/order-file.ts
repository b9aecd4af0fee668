import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { type Address, address, toAddress } from '../../../domain/evm/address.ts'
import { toHex } from '../../../domain/evm/hex.ts'
import { keccakText } from '../../../domain/evm/keccak.ts'
import type { OrderData } from '../../../domain/order/order.ts'
import { lossText } from '../../../domain/quote/impact.ts'
import { orderUid, type SigningDomain } from '../../../domain/signing/signing.ts'
import { plain } from '../../../domain/text/readable.ts'
import { amount, time } from '../order-text.ts'
import { CommandFault, exitCodes, type TokenAnswer } from '../service.ts'
import { placeName, type SigningPlace } from './contracts.ts'

const hex = (bytes?: number) =>
  z.string().transform((text, context) => {
    const parsed = toHex(text, bytes)
    if (parsed) return parsed
    context.addIssue({ code: 'custom', message: bytes ? `must be ${bytes} bytes of hex` : 'must be hex' })
    return z.NEVER
  })
const account = hex(20).transform((text): Address => address(text))
const atoms = z.string().regex(/^\d{1,78}$/)
const token = z.strictObject({
  address: account,
  symbol: z.string().nullable(),
  decimals: z.int().min(0).max(255).nullable(),
})

/** The members that are signed, with enums as GraphQL spells them. */
const terms = z.strictObject({
  sellToken: account,
  buyToken: account,
  receiver: account.nullable(),
  sellAmount: atoms,
  buyAmount: atoms,
  validTo: z.int().min(0).max(0xffff_ffff),
  appData: hex(32),
  feeAmount: atoms,
  kind: z.enum(['SELL', 'BUY']),
  partiallyFillable: z.boolean(),
  sellTokenBalance: z.enum(['ERC20', 'INTERNAL', 'EXTERNAL']),
  buyTokenBalance: z.enum(['ERC20', 'INTERNAL']),
})

/** The file that `quote` prints: an order with all that `sign` and `submit` need. */
const orderFile = z.strictObject({
  network: z.string(),
  chainId: z.int().positive(),
  settlementContract: account,
  from: account,
  quoteId: z.int().nullable(),
  sellToken: token,
  buyToken: token,
  appData: z.string(),
  order: terms,
  /** The loss of the quote against the market price; null or left out if that is not known. */
  priceImpact: z
    .strictObject({
      share: z.string().regex(/^-?\d{1,30}(\.\d{1,30})?$/),
      usd: z
        .string()
        .regex(/^\d{1,60}(\.\d{1,30})?$/)
        .nullable(),
      isNotable: z.boolean(),
      needsAcceptance: z.boolean(),
    })
    .nullish(),
})
export type OrderFile = z.infer<typeof orderFile>

/** The file that `sign` prints. */
const signedFile = orderFile.extend({
  uid: hex(56),
  signingScheme: z.literal('EIP712'),
  signature: hex(65),
})
export type SignedFile = z.infer<typeof signedFile>

/** @throws CommandFault with the member at fault */
export async function readOrder(file: string | undefined): Promise<OrderFile> {
  const found = await read(file, orderFile)
  refuseFaults(file, faultsOf(found))
  return found
}

/** @throws CommandFault with the member at fault */
export async function readSigned(file: string | undefined): Promise<SignedFile> {
  const found = await read(file, signedFile)
  const uid = orderUid(domainOf(found), orderDataOf(found.order), found.from)
  refuseFaults(file, [...faultsOf(found), ...(uid === found.uid ? [] : ['uid is not that of the order'])])
  return found
}

function faultsOf(found: OrderFile): string[] {
  const { order, sellToken, buyToken, appData } = found
  return [
    ...(order.sellToken === sellToken.address && order.buyToken === buyToken.address
      ? []
      : ['sellToken or buyToken is not that of the order']),
    ...(keccakText(appData) === order.appData ? [] : ['order.appData is not the hash of appData']),
  ]
}

function refuseFaults(file: string | undefined, faults: readonly string[]): void {
  if (faults.length > 0) throw new CommandFault(exitCodes.usage, `${nameOf(file)}: ${faults.join('; ')}`)
}

const nameOf = (file: string | undefined) => (file === undefined || file === '-' ? 'the input' : file)

/** Reads a file, or the input to its end: the command before it in a pipe may take its time. */
async function textOf(file: string | undefined): Promise<string> {
  try {
    return await (file === undefined || file === '-' ? text(process.stdin) : readFile(file, 'utf8'))
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException
    throw new CommandFault(exitCodes.usage, `${nameOf(file)} cannot be read (${code})`)
  }
}

async function read<T>(file: string | undefined, schema: z.ZodType<T>): Promise<T> {
  const name = nameOf(file)
  const content = await textOf(file)
  if (content.trim() === '')
    throw new CommandFault(exitCodes.usage, `${name} is empty: the command before may have failed`)
  let value: unknown
  try {
    value = JSON.parse(content)
  } catch {
    throw new CommandFault(exitCodes.usage, `${name} is no JSON`)
  }
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const member = issue?.path.join('.') ?? ''
  const isUnsigned = member === 'signature' || member === 'uid'
  throw new CommandFault(
    exitCodes.usage,
    `${name}: ${member ? `${member}: ` : ''}${issue?.message}`,
    isUnsigned ? { advice: ['`tradegraph sign` adds it.'] } : {},
  )
}

export const domainOf = ({ chainId, settlementContract }: Omit<SigningPlace, 'network'>): SigningDomain => ({
  chainId,
  settlement: settlementContract,
})

/** The order as the service takes it, without a signature. */
export function termsInput({ order, appData, from, network, quoteId }: OrderFile) {
  const { appData: appDataHash, ...terms } = order
  return { ...terms, appData, appDataHash, from, network, quoteId }
}

/** Terms as the service spells them. */
export type SpelledTerms = z.infer<typeof terms>

export function orderDataOf(order: SpelledTerms): OrderData {
  const { sellAmount, buyAmount, feeAmount, kind, sellTokenBalance, buyTokenBalance } = order
  return {
    ...order,
    sellAmount: BigInt(sellAmount),
    buyAmount: BigInt(buyAmount),
    feeAmount: BigInt(feeAmount),
    kind: kind === 'SELL' ? 'sell' : 'buy',
    sellTokenBalance: ({ ERC20: 'erc20', INTERNAL: 'internal', EXTERNAL: 'external' } as const)[
      sellTokenBalance
    ],
    buyTokenBalance: buyTokenBalance === 'ERC20' ? 'erc20' : 'internal',
  }
}

/** The network of an order or a cancellation, as its signer sees it. */
export const placeLine = (place: SigningPlace) =>
  `${placeName(place)}, chain id ${place.chainId}, settlement contract ${place.settlementContract}`

/** Describes what a signature allows, for its signer. */
export function termLines(
  { order, sellToken, buyToken, from, appData, ...place }: OrderFile,
  now: number,
): string[] {
  // The decimals are the service's word; the atoms are what is signed.
  const named = (token: TokenAnswer, value: string) =>
    token.decimals === null
      ? amount(value, token)
      : `${amount(value, token)} (${value} atoms of ${token.address})`
  const isSale = order.kind === 'SELL'
  const seconds = order.validTo - now
  const left = seconds < 120 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`
  return [
    `sell     ${isSale ? '' : 'at most '}${named(sellToken, order.sellAmount)}`,
    `buy      ${isSale ? 'at least ' : ''}${named(buyToken, order.buyAmount)}`,
    `receiver ${order.receiver === null || order.receiver === from ? `${from}, the owner` : order.receiver}`,
    `until    ${time(new Date(order.validTo * 1_000).toISOString())}, in ${left}`,
    ...(BigInt(order.feeAmount) > 0n ? [`fee      ${named(sellToken, order.feeAmount)}`] : []),
    ...(order.partiallyFillable ? ['parts    may be traded'] : []),
    ...(order.sellTokenBalance === 'ERC20' ? [] : [`from     the ${order.sellTokenBalance} balance`]),
    ...(order.buyTokenBalance === 'ERC20' ? [] : [`to       the ${order.buyTokenBalance} balance`]),
    ...(appData === '{}' ? [] : [`app data ${appData}`]),
    `network  ${placeLine(place)}`,
  ].map(plain)
}

/** Says what the quote of an order gives less than the market price; undefined if it is little. */
export function impactLine({ priceImpact }: Pick<OrderFile, 'priceImpact'>): string | undefined {
  if (!priceImpact) return 'warning: PRICE_UNKNOWN: the quote was not compared with a market price.'
  const { isNotable, needsAcceptance } = priceImpact
  if (!isNotable && !needsAcceptance) return undefined
  const needed = needsAcceptance ? '; `sign` needs --accept-impact' : ''
  return `warning: PRICE_IMPACT: the trade gives ${lossText(priceImpact)}${needed}.`
}

/** @throws CommandFault that names the flag */
export function accountOf(flag: string, text: string | undefined): Address | undefined {
  const found = text === undefined ? undefined : toAddress(text)
  if (text !== undefined && !found)
    throw new CommandFault(exitCodes.usage, `${flag} must be an address: 0x and 40 hex digits`)
  return found
}
