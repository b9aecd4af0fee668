/**
 * The one closed list of refusal codes. Clients rely on these words: `extensions.code` in GraphQL, `errorType` in REST.
 * `retryable` answers whether the same request can succeed later without being changed.
 */
export const refusalCodes = {
  InvalidParameter: {
    retryable: false,
    meaning: 'The request is malformed; the description names the field.',
  },
  UnsupportedMediaType: { retryable: false, meaning: 'The body is not declared as application/json.' },
  PayloadTooLarge: { retryable: false, meaning: 'The body is over the limit of the route.' },
  MethodNotAllowed: { retryable: false, meaning: 'The path exists, the method does not.' },
  NotAcceptable: { retryable: false, meaning: 'This door does not speak the media type asked for.' },
  NotFound: { retryable: false, meaning: 'There is no such thing here.' },
  OrderNotFound: { retryable: false, meaning: 'No order has this UID.' },
  QueryTooComplex: {
    retryable: false,
    meaning: 'The document is over a limit for depth, aliases, tokens or estimated size.',
  },
  InvalidQuery: {
    retryable: false,
    meaning: 'The GraphQL document does not parse or does not fit the schema.',
  },

  PERSISTED_QUERY_NOT_FOUND: {
    retryable: false,
    meaning: 'No document is known by this hash: send its text with it.',
  },

  InvalidSignature: { retryable: false, meaning: 'The signature is not the owner’s for this order.' },
  MissingFrom: { retryable: false, meaning: 'This signing scheme needs `from`.' },
  AppdataFromMismatch: { retryable: false, meaning: '`from` and the signer in appData differ.' },
  IncompatibleSigningScheme: { retryable: false, meaning: 'This signing scheme is not accepted here.' },
  InvalidAppData: { retryable: false, meaning: 'The appData document is unknown, malformed or too large.' },
  AppDataInvalid: { retryable: false, meaning: 'The uploaded appData document is malformed or too large.' },
  AppDataHashMismatch: { retryable: false, meaning: 'The appData document does not hash to the given hash.' },
  AppDataMismatch: { retryable: false, meaning: 'Another document is stored under this hash.' },
  ZeroAmount: { retryable: false, meaning: 'Sell and buy amount must be positive.' },
  NonZeroFee: { retryable: false, meaning: 'Signed fees are not accepted: sign feeAmount 0.' },
  SellAmountOverflow: {
    retryable: false,
    meaning: 'The sell amount, or sell amount plus fee, exceeds uint256.',
  },
  BuyAmountOverflow: { retryable: false, meaning: 'The buy amount exceeds uint256.' },
  UnsupportedOrderType: { retryable: false, meaning: 'Orders of this form are not supported.' },
  UnsupportedBuyTokenDestination: { retryable: false, meaning: 'buyTokenBalance must be erc20.' },
  UnsupportedSellTokenSource: { retryable: false, meaning: 'sellTokenBalance must be erc20.' },
  OrderExpired: { retryable: false, meaning: 'validTo is in the past (Unix seconds, not milliseconds).' },
  InsufficientValidTo: { retryable: false, meaning: 'validTo is too near.' },
  ExcessiveValidTo: { retryable: false, meaning: 'validTo is too far away.' },
  InvalidValidFrom: { retryable: false, meaning: 'validFrom leaves too little time before validTo.' },
  SameBuyAndSellToken: { retryable: false, meaning: 'Sell and buy token are the same.' },
  InvalidNativeSellToken: {
    retryable: false,
    meaning: 'The chain’s own coin cannot be sold directly: sell its wrapped form.',
  },
  UnsupportedToken: { retryable: false, meaning: 'A token of the pair cannot be traded here.' },
  InsufficientBalance: { retryable: false, meaning: 'The owner holds less than sellAmount + feeAmount.' },
  InsufficientAllowance: {
    retryable: false,
    meaning: 'The vault relayer may not spend sellAmount + feeAmount.',
  },
  TooMuchGas: { retryable: false, meaning: 'The order needs more gas than a settlement may use.' },
  TooManyLimitOrders: {
    retryable: false,
    meaning: 'The owner has too many open limit orders out of market.',
  },
  DuplicatedOrder: { retryable: false, meaning: 'An order with this UID exists already.' },
  Forbidden: { retryable: false, meaning: 'The account may not trade here.' },

  OnChainOrder: { retryable: false, meaning: 'This order can only be cancelled on chain.' },
  OrderFullyExecuted: { retryable: false, meaning: 'The order is executed already.' },
  AlreadyCancelled: { retryable: false, meaning: 'The order is cancelled already.' },
  WrongOwner: { retryable: false, meaning: 'The signer does not own the order.' },

  NoLiquidity: { retryable: true, meaning: 'No route trades this pair at this size.' },
  SellAmountDoesNotCoverFee: {
    retryable: false,
    meaning: 'The sell amount is not more than the settlement cost.',
  },
  InvalidTradeFilter: { retryable: false, meaning: 'Give exactly one of owner and orderUid.' },
  InvalidLimit: { retryable: false, meaning: 'limit must be from 1 to 1000.' },
  LIMIT_OUT_OF_BOUNDS: { retryable: false, meaning: 'limit must be from 1 to 1000.' },

  RateLimited: { retryable: true, meaning: 'Too many requests; honour Retry-After.' },
  Unavailable: { retryable: true, meaning: 'Something this answer needs is down for the moment.' },
  InternalServerError: { retryable: true, meaning: 'A fault of the service.' },
} as const satisfies Record<string, { retryable: boolean; meaning: string }>

export type RefusalCode = keyof typeof refusalCodes

/** A request that the service turns down. The message is for the client: it names what to change, never an internal. */
export class Refusal extends Error {
  readonly code: RefusalCode
  /** Path of the field at fault in the request, such as `sellAmount`. */
  readonly field: string | undefined
  readonly data: Record<string, unknown> | undefined

  constructor(
    code: RefusalCode,
    message: string,
    more: { field?: string; data?: Record<string, unknown> } = {},
  ) {
    super(message)
    this.name = 'Refusal'
    this.code = code
    this.field = more.field
    this.data = more.data
  }
}

/** An outside system (node, database) did not answer. Never the same thing as "there is none". */
export class Outage extends Error {
  constructor(what: string, cause?: unknown) {
    super(`${what} is unavailable`, { cause })
    this.name = 'Outage'
  }
}
