import { z } from 'zod'
import { readAppDataDocument } from '../domain/app-data/document.ts'
import { type Address, toAddress, zeroAddress } from '../domain/evm/address.ts'
import { type Bytes32, toHex } from '../domain/evm/hex.ts'
import { keccakText } from '../domain/evm/keccak.ts'
import type { Network } from '../domain/network/network.ts'
import {
  buyTokenDestinations,
  type NewOrder,
  type OrderData,
  type OrderUid,
  orderClasses,
  orderKinds,
  type PlacementError,
  placementErrors,
  sellTokenSources,
  signingSchemes,
  toOrderUid,
} from '../domain/order/order.ts'
import { recoverSigner } from '../domain/signing/signature.ts'
import { isEcdsa, orderUid } from '../domain/signing/signing.ts'
import { toInteractions, withWrapping } from '../orders/interactions.ts'
import { isObject } from '../outside/http-json.ts'

const maxUint256 = 2n ** 256n - 1n

export function parsed<Value>(parse: (text: string) => Value | undefined) {
  return z.string().transform((text, context) => {
    const value = parse(text)
    if (value !== undefined) return value
    context.addIssue({ code: 'custom', message: 'is malformed' })
    return z.NEVER
  })
}

export const address = parsed(toAddress)
export const amount = z
  .string()
  .regex(/^[0-9]{1,78}$/)
  .transform(BigInt)
  .refine((value) => value <= maxUint256)
export const hash = parsed((text) => toHex(text, 32))
const uint32 = z.int().min(0).max(0xffffffff)

/**
 * Decimals as order books write them, as text or as numbers; very small ones with an exponent. They are read
 * as plain digits. A double that is written to its last digit has up to 1,074 decimal places.
 */
export const decimal = z
  .union([z.string(), z.number()])
  .transform(String)
  .refine((text) => /^[0-9]{1,78}(\.[0-9]{1,1074})?(e[+-]?[0-9]{1,3})?$/i.test(text))
  .transform(toPlain)

function toPlain(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e', 2)
  const [whole = '', fraction = ''] = mantissa.split('.', 2)
  const shift = Number(exponent)
  if (shift === 0) return mantissa
  const digits = `${whole.padStart(whole.length - shift, '0')}${fraction.padEnd(shift, '0')}`
  const point = whole.padStart(whole.length - shift, '0').length + shift
  return `${digits.slice(0, point).replace(/^0+(?=[0-9])/, '')}.${digits.slice(point) || '0'}`
}

const wholeOf = (text: string) => BigInt(text.split('.', 1)[0] ?? '0')
const hasWhole = (text: string) => wholeOf(text) <= maxUint256

/** Whole units, rounded down: order books write gas and its price with decimals. */
export const wholeDown = decimal.refine(hasWhole).transform(wholeOf)

/** The same with their decimals, without zeros at the ends. */
const exact = decimal.refine(hasWhole).transform((text) => ({ whole: wholeOf(text), text: plain(text) }))

const plain = (text: string) =>
  text.replace(/^0+(?=[0-9])/, '').replace(/\.([0-9]*[1-9])?0*$/, (_, digits) => (digits ? `.${digits}` : ''))

const maxDocumentLength = 131_072
/** A document that can be stored: PostgreSQL has no text with a zero character. */
const document = z
  .string()
  .max(maxDocumentLength)
  .regex(/^[^\0]*$/)

/** The quote that an order was placed with. One that is malformed counts as none. */
const quoteShape = z.object({
  gasAmount: exact,
  gasPrice: exact,
  sellTokenPrice: decimal,
  sellAmount: amount,
  buyAmount: amount,
  feeAmount: amount,
  solver: address,
  verified: z.boolean(),
  metadata: z
    .record(z.string(), z.unknown())
    .nullish()
    .catch(null)
    .transform((calls) => callsText(calls)),
})

/** The calls of a quote as text that can be stored: PostgreSQL has no JSON with a zero character. */
function callsText(calls: Record<string, unknown> | null | undefined): string | null {
  const text = calls ? JSON.stringify(calls) : null
  return text !== null && text.length <= maxDocumentLength && !text.includes('\\u0000') ? text : null
}

/** The signed members of an order, and its signature. */
export const dataShape = z.object({
  sellToken: address,
  buyToken: address,
  receiver: address.nullish(),
  sellAmount: amount,
  buyAmount: amount,
  validTo: uint32,
  appData: hash,
  feeAmount: amount,
  kind: z.enum(orderKinds),
  partiallyFillable: z.boolean(),
  sellTokenBalance: z
    .enum(sellTokenSources)
    .nullish()
    .transform((source) => source ?? 'erc20'),
  buyTokenBalance: z
    .enum(buyTokenDestinations)
    .nullish()
    .transform((destination) => destination ?? 'erc20'),
  signingScheme: z.enum(signingSchemes),
  signature: parsed((text) => toHex(text)),
})

/**
 * The errors of placements as they are spelt in bodies and by their type, in lower case. Any other error
 * means too that the order can never be traded.
 */
const maxWordLength = 200
const spelledErrors = new Map(placementErrors.map((error) => [error.toLowerCase(), error]))
const placementError = z
  .string()
  .transform((text): { error: PlacementError; detail: string | null } => {
    const name = text.toLowerCase().replaceAll('_', '').replace('inthefuture', 'infuture')
    const error = spelledErrors.get(name)
    const detail = `the order book reports ${text.slice(0, maxWordLength).replaceAll('\0', '')}`
    return error ? { error, detail: null } : { error: 'PreValidationError', detail }
  })
  .nullish()
  .catch(null)

/** An order as order books write it. Other members are left out. */
const orderShape = dataShape.extend({
  uid: parsed(toOrderUid),
  owner: address,
  fullAppData: document.nullish().catch(null),
  class: z.enum(orderClasses).catch('limit'),
  creationDate: z.iso
    .datetime({ offset: true })
    .transform((text) => new Date(text))
    .refine((date) => date.getUTCFullYear() >= 1970 && date.getUTCFullYear() <= 9999),
  quoteId: z.int().min(0).nullish().catch(null),
  fullBalanceCheck: z.boolean().catch(false),
  quote: quoteShape.nullish().catch(null),
  status: z.string().nullish().catch(null),
  executedSellAmount: amount.nullish().catch(null),
  executedFee: amount.nullish().catch(null),
  /** An earlier name of `executedFee`. */
  executedSurplusFee: amount.nullish().catch(null),
  executedFeeToken: address.nullish().catch(null),
  invalidated: z.boolean().catch(false),
  cancelledBy: z.string().nullish().catch(null),
  availableBalance: amount.nullish().catch(null),
  ethflowData: z
    .object({ userValidTo: uint32, refundTxHash: hash.nullish().catch(null) })
    .nullish()
    .catch(null),
  onchainOrderData: z.object({ sender: address, placementError }).nullish().catch(null),
})

/** Members that are not read, as they follow from others, or from the chain. */
const derivedMembers = [
  'executedBuyAmount',
  'executedSellAmountBeforeFees',
  'executedFeeAmount',
  'totalFee',
  'settlementContract',
  'isLiquidityOrder',
  'interactions',
  'onchainUser',
  'validFrom',
  'from',
  'appDataHash',
]
const knownMembers = new Set([...Object.keys(orderShape.shape), ...derivedMembers])

/** Counts the members of an order that this program does not know. */
export function unknownMembers(body: unknown): number {
  return isObject(body) ? Object.keys(body).filter((name) => !knownMembers.has(name)).length : 0
}

/** The UID that a body names; undefined without a valid one. */
export function uidOf(body: unknown): OrderUid | undefined {
  return isObject(body) ? toOrderUid(String(body.uid)) : undefined
}

/** The creation date that the order book gives an order, by which it sorts lists. */
export function creationDateOf(body: unknown): Date | undefined {
  return isObject(body) ? orderShape.shape.creationDate.safeParse(body.creationDate).data : undefined
}

function quoteOf(read: z.output<typeof quoteShape> | null | undefined): NewOrder['quote'] {
  if (!read) return null
  const { metadata, gasAmount, gasPrice, ...quote } = read
  return {
    ...quote,
    gasAmount: gasAmount.whole,
    exactGasAmount: gasAmount.text,
    gasPrice: gasPrice.whole,
    exactGasPrice: gasPrice.text,
    ...(metadata !== null && { reportedCalls: metadata }),
  }
}

/** Facts of an order that only the order book knows, and nothing proves. */
interface OrderReport {
  /** Null if the order book reports none. */
  executedFee: bigint | null
  executedFeeToken: Address | null
  /** Shows whether the order book knows the trades that the chain has. */
  executedSellAmount: bigint | null
  /** The document that the order book has under the hash of another document. */
  unverifiedDocument: string | null
  /** The transaction that gave the coins back. */
  refundTxHash: Bytes32 | null
  /** The sell atoms that the owner holds. */
  availableBalance: bigint | null
}

export interface MirroredOrder {
  order: NewOrder
  report: OrderReport
  /** True if the order book says that the order was cancelled, also if it was filled all the same. */
  isCancelled: boolean
  /** True if the order book says that it was not cancelled on chain; most say nothing. */
  isCancelledOffChain: boolean
  isFilled: boolean
}

/** Why an order of an order book is not stored. */
export type MirrorFault = 'malformed' | 'digest' | 'signature'

/**
 * Reads an order as an order book writes it, and believes none of it: the UID must be its digest, and the
 * signature of a key must be its owner's. A document under another hash is kept apart, and nothing is read
 * from it.
 */
export function readMirrored(body: unknown, network: Network): MirroredOrder | { fault: MirrorFault } {
  const read = orderShape.safeParse(body)
  if (!read.success) return { fault: 'malformed' }
  const { uid, owner, signingScheme, signature, ...rest } = read.data
  const data: OrderData = {
    sellToken: rest.sellToken,
    buyToken: rest.buyToken,
    receiver: rest.receiver == null || rest.receiver === zeroAddress ? null : rest.receiver,
    sellAmount: rest.sellAmount,
    buyAmount: rest.buyAmount,
    validTo: rest.validTo,
    appData: rest.appData,
    feeAmount: rest.feeAmount,
    kind: rest.kind,
    partiallyFillable: rest.partiallyFillable,
    sellTokenBalance: rest.sellTokenBalance,
    buyTokenBalance: rest.buyTokenBalance,
  }
  if (orderUid(network, data, owner) !== uid) return { fault: 'digest' }
  const unchecked = signingScheme === 'presign' ? '0x' : signature
  const stored = isEcdsa(signingScheme) ? signatureOf(uid, owner, signingScheme, signature) : unchecked
  if (stored === undefined) return { fault: 'signature' }
  const said = rest.fullAppData ?? null
  const isDocumentVerified = said !== null && keccakText(said) === rest.appData
  const document = isDocumentVerified ? said : null
  const { ethflowData, onchainOrderData } = rest
  const facts = readAppDataDocument(document)
  const calls = toInteractions(facts, network.hooksTrampoline)
  const sellsCoins = ethflowData || network.ethFlows.includes(owner)
  const order: NewOrder = {
    ...data,
    chainId: network.chainId,
    uid,
    owner,
    settlementContract: network.settlement,
    class: rest.class,
    signingScheme,
    signature: stored,
    fullAppData: document,
    creationDate: rest.creationDate,
    quoteId: rest.quoteId == null ? null : BigInt(rest.quoteId),
    fullBalanceCheck: rest.fullBalanceCheck,
    validFrom: facts?.validFrom ?? null,
    interactions: sellsCoins ? withWrapping(owner, calls) : calls,
    quote: quoteOf(rest.quote),
    effectiveValidTo: ethflowData?.userValidTo ?? rest.validTo,
    onchainUser: onchainOrderData?.sender ?? null,
    placementError: onchainOrderData?.placementError?.error ?? null,
    placementDetail: onchainOrderData?.placementError?.detail ?? null,
  }
  const report: OrderReport = {
    executedFee: rest.executedFee ?? rest.executedSurplusFee ?? null,
    executedFeeToken: rest.executedFeeToken ?? null,
    executedSellAmount: rest.executedSellAmount ?? null,
    unverifiedDocument: isDocumentVerified ? null : said,
    refundTxHash: ethflowData?.refundTxHash ?? null,
    availableBalance: rest.availableBalance ?? null,
  }
  return {
    order,
    report,
    isCancelled: rest.status === 'cancelled' || rest.invalidated,
    isCancelledOffChain: (rest.cancelledBy ?? 'chain') !== 'chain',
    isFilled: rest.status === 'fulfilled',
  }
}

type Signed = Pick<NewOrder, 'uid' | 'owner' | 'signature'>

/**
 * Returns the signature as the contract takes it; undefined if it is not the owner's. The UID begins with the
 * digest.
 */
function signatureOf(
  uid: Signed['uid'],
  owner: Signed['owner'],
  signingScheme: 'eip712' | 'ethsign',
  signature: Signed['signature'],
): Signed['signature'] | undefined {
  const recovered = recoverSigner(signingScheme, uid.slice(0, 66) as `0x${string}`, signature)
  return 'signer' in recovered && recovered.signer === owner ? recovered.signature : undefined
}
