import type { PlacementError } from '../order/order.ts'
import type { RefusalCode } from './refusal-codes.ts'

/** A refusal code, or the reason why an order placed on chain is never traded. */
export type ErrorCode = RefusalCode | PlacementError

/** The state after an error, by the kind of request. */
export const outcomes = {
  placing: 'The order was refused: it was not placed, and nothing was sold.',
  placingOrReverting:
    'If the service refused an order with this, it was not placed, and nothing was sold. If a transaction reverted with it, that did nothing. An order that was placed before may still be filled.',
  quoting: 'Only a price was asked for: no order was sent yet, and nothing was sold.',
  cancelling: 'The request was refused as a whole: it cancelled no order, and placed none.',
  replacing: 'The new order was not placed, and the old one not cancelled: it may still be filled.',
  placingOrCancelling:
    'The request was refused. A new order was not placed, and nothing of it was sold. A cancellation changed nothing about its order.',
  there: 'The order is there, once: nothing was placed a second time.',
  uploading:
    'Only a document that orders name was sent: no order was placed or changed, and nothing was sold.',
  reading: 'Only news of orders was read: that placed, changed and sold nothing.',
  onChain:
    'The order is on chain, but no auction takes it: nothing was sold. Its coins stay with the contract that holds them until the order is cancelled or they are paid back.',
  any: 'The request was refused: it placed, changed and sold nothing.',
  unknown: 'Whether the request was carried out is not certain.',
} as const

export const wait = 'Wait a minute, then try again.'
export const waitAndSearch = `${wait} If an order was sent, search for your account first: it may be there.`

/** An error explained to a trader. */
export interface Explanation {
  meaning: string
  /** The advice. */
  advice: string
  /** The state after the error. */
  outcome: string
}

export interface ExplanationRow {
  outcome: keyof typeof outcomes
  meaning?: string
  advice?: string
  /** True if the contract that takes sell tokens must be approved. */
  approves?: boolean
  /** Words that occur in messages but in no other text of the error. */
  heard?: string
}

/** Creates an error that a trader can do something about. */
export const traderRow = (
  outcome: ExplanationRow['outcome'],
  meaning: string,
  advice: string,
  more: Pick<ExplanationRow, 'approves' | 'heard'> = {},
): ExplanationRow => ({ outcome, meaning, advice, ...more })
/** Creates an error that only programs cause. Its meaning is the description in the list of codes. */
const programRow = (outcome: ExplanationRow['outcome'], heard = ''): ExplanationRow => ({ outcome, heard })

/** Errors that only programs cause: traders cannot do anything about them. */
export const programFaults = {
  InvalidParameter: programRow(
    'any',
    'sellToken is required; a whole number; a string of decimal digits; must be an address; bytes of hex; cursor of this list; quoteId cannot be set here; slippageBps; appDataHash; the body is not JSON; the body ended early',
  ),
  UnsupportedMediaType: programRow('any'),
  PayloadTooLarge: programRow('any', 'bytes'),
  MethodNotAllowed: programRow('any', 'path answers'),
  NotAcceptable: programRow(
    'any',
    'accept application/json or application/graphql-response+json; subscriptions are event streams',
  ),
  QueryTooComplex: programRow('any', 'asked for at once requested operation counts'),
  InvalidQuery: programRow('any', 'a JSON object with a query; syntax'),
  FeedGap: programRow('reading'),
  SlowConsumer: programRow('reading'),
  PERSISTED_QUERY_NOT_FOUND: programRow('any', 'PersistedQueryNotFound'),
  MissingFrom: programRow(
    'placing',
    'presign orders need from; eip1271 orders need from; an order without a signature',
  ),
  AppdataFromMismatch: programRow('placing', 'metadata.signer'),
  IncompatibleSigningScheme: programRow('quoting', 'onchainOrder needs signingScheme presign or eip1271'),
  InvalidAppData: programRow(
    'any',
    'appData is not JSON; appData is bytes, are allowed; appData metadata hooks callData partnerFee enableFastPath; no document is known for appData: upload it, or send it with the order',
  ),
  AppDataInvalid: programRow('uploading', 'fullAppData is not JSON; the document is bytes'),
  AppDataHashMismatch: programRow('any', 'the document hashes to; appData hashes to, appDataHash says'),
  AppDataMismatch: programRow('uploading'),
  NonZeroFee: programRow('placing', 'feeAmount must be'),
  SellAmountOverflow: programRow('any', 'sellAmount exceeds uint256 fees slippage'),
  BuyAmountOverflow: programRow('any', 'buyAmount exceeds uint256'),
  UnsupportedOrderType: programRow(
    'any',
    'wrappers not available partially fillable can’t carry a signed fee',
  ),
  UnsupportedBuyTokenDestination: programRow('any', 'buyTokenBalance must be erc20'),
  UnsupportedSellTokenSource: programRow('any', 'sellTokenBalance must be erc20'),
  BadRequest: programRow('any'),
  Unauthorized: programRow('any', 'Authorization Bearer X-API-Key session'),
  InvalidTradeFilter: programRow('any'),
  InvalidLimit: programRow('any'),
  LIMIT_OUT_OF_BOUNDS: programRow('any'),
  AffiliateWalletMismatch: programRow('any', 'address mismatch'),
  InvalidAffiliateSignature: programRow('any', 'Affiliate has'),
  TooManySecrets: programRow('any'),
  IdempotencyKeyReused: programRow('any'),
} as const satisfies Partial<Record<RefusalCode, ExplanationRow>>

export type ProgramFault = keyof typeof programFaults
