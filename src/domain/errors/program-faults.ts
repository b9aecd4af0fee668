import type { RefusalCode } from './refusal-codes.ts'
import { programs, type Words } from './words.ts'

/** Errors that only programs cause: traders cannot do anything about them. */
export const programFaults = {
  InvalidParameter: programs(
    'any',
    'sellToken is required; a whole number; a string of decimal digits; must be an address; bytes of hex; cursor of this list; quoteId cannot be set here; slippageBps; appDataHash; the body is not JSON; the body ended early',
  ),
  UnsupportedMediaType: programs('any'),
  PayloadTooLarge: programs('any', 'bytes'),
  MethodNotAllowed: programs('any', 'path answers'),
  NotAcceptable: programs(
    'any',
    'accept application/json or application/graphql-response+json; subscriptions are event streams',
  ),
  NotFound: programs('any', 'there is nothing at this path'),
  QueryTooComplex: programs('any', 'asked for at once operation counts'),
  InvalidQuery: programs('any', 'a JSON object with a query; syntax'),
  FeedGap: programs('reading'),
  SlowConsumer: programs('reading'),
  PERSISTED_QUERY_NOT_FOUND: programs('any', 'PersistedQueryNotFound'),
  MissingFrom: programs(
    'placing',
    'presign orders need from; eip1271 orders need from; an order without a signature',
  ),
  AppdataFromMismatch: programs('placing', 'metadata.signer'),
  IncompatibleSigningScheme: programs('quoting', 'onchainOrder needs signingScheme presign or eip1271'),
  InvalidAppData: programs(
    'any',
    'appData is not JSON; appData is bytes, are allowed; appData metadata hooks callData partnerFee enableFastPath; no document is known for appData: upload it, or send it with the order',
  ),
  AppDataInvalid: programs('uploading', 'fullAppData is not JSON; the document is bytes'),
  AppDataHashMismatch: programs('any', 'the document hashes to; appData hashes to, appDataHash says'),
  AppDataMismatch: programs('uploading'),
  NonZeroFee: programs('placing', 'feeAmount must be'),
  SellAmountOverflow: programs('any', 'sellAmount exceeds uint256 fees slippage'),
  BuyAmountOverflow: programs('any', 'buyAmount exceeds uint256'),
  UnsupportedOrderType: programs('any', 'wrappers not available partially fillable can’t carry a signed fee'),
  UnsupportedBuyTokenDestination: programs('any', 'buyTokenBalance must be erc20'),
  UnsupportedSellTokenSource: programs('any', 'sellTokenBalance must be erc20'),
  BadRequest: programs('any'),
  Unauthorized: programs('any', 'Authorization Bearer X-API-Key session'),
  InvalidTradeFilter: programs('any'),
  InvalidLimit: programs('any'),
  LIMIT_OUT_OF_BOUNDS: programs('any'),
  AffiliateWalletMismatch: programs('any', 'address mismatch'),
  InvalidAffiliateSignature: programs('any', 'Affiliate has'),
  TooManySecrets: programs('any'),
  IdempotencyKeyReused: programs('any'),
} as const satisfies Partial<Record<RefusalCode, Words>>

export type ProgramFault = keyof typeof programFaults
