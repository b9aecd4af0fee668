/** The description of an error’s message. */
export const errorMessageText = 'Text for people that names the necessary change.'

interface RefusalRow {
  /** True if the same request can succeed later without a change. */
  retryable: boolean
  description: string
  /** The advice for the client. */
  advice: string
}

const final = (description: string, advice: string): RefusalRow => ({
  retryable: false,
  description,
  advice,
})
const passing = (description: string, advice: string): RefusalRow => ({
  retryable: true,
  description,
  advice,
})

/**
 * The closed list of refusal codes. Clients rely on them: `extensions.code` in GraphQL, `errorType` in REST.
 * docs/errors.md is generated from it. The texts for traders are in trader-words.ts and program-faults.ts.
 */
export const refusalCodes = {
  InvalidParameter: final(
    'The request is malformed; the description names the field.',
    'Correct the field that `field` names.',
  ),
  UnsupportedMediaType: final(
    'The body is not declared as application/json.',
    'Send `Content-Type: application/json`.',
  ),
  PayloadTooLarge: final('The body is over the limit of the route.', 'Send less, or in parts.'),
  MethodNotAllowed: final('The path exists, the method does not.', 'Use a method that `Allow` names.'),
  NotAcceptable: final(
    'This interface does not offer the requested media type.',
    'Accept a type that the description names, or use the interface it names.',
  ),
  NotFound: final('There is no such thing here.', 'Check the path and the id in it.'),
  OrderNotFound: final(
    'No order has this UID.',
    'Check the UID and the network; an order exists once POST answered 201.',
  ),
  QueryTooComplex: final(
    'The document is over a limit for depth, aliases, tokens or estimated size.',
    'Request less at once: fewer levels, aliases or rows.',
  ),
  InvalidQuery: final(
    'The GraphQL document does not parse or does not fit the schema.',
    'Correct the document; the schema can be read by introspection.',
  ),
  FeedGap: final(
    'Entries of the feed behind this cursor were removed by their age.',
    'Start again from "earliest", and read what is missing from the account’s orders.',
  ),
  SlowConsumer: passing(
    'The client read nothing from its stream for too long.',
    'Open the stream again from the last cursor, and read faster.',
  ),

  PERSISTED_QUERY_NOT_FOUND: final(
    'No document is known by this hash: send its text with it.',
    'Send the text and its hash once.',
  ),

  InvalidSignature: final(
    'The signature is not the owner’s for this order.',
    'Sign again; `data` names the known mistake, and `explainSignature` has details.',
  ),
  InvalidEip1271Signature: final(
    'The account does not accept the signature of an `eip1271` order, or has no code that could.',
    'Ask the wallet for its signature again, over the digest of exactly this order.',
  ),
  MissingFrom: final('This signing scheme needs `from`.', 'Send the owner’s address as `from`.'),
  AppdataFromMismatch: final(
    '`from` and the signer in appData differ.',
    'Let `from` and `metadata.signer` be the same account, or leave one out.',
  ),
  IncompatibleSigningScheme: final(
    'This signing scheme is not accepted here.',
    'Use a scheme that the description names.',
  ),
  InvalidAppData: final(
    'The appData document is unknown, malformed or too large.',
    'Send the document itself, or upload it first; correct the JSON path that the description names.',
  ),
  AppDataInvalid: final(
    'The uploaded appData document is malformed or too large.',
    'Correct the JSON path that the description names.',
  ),
  AppDataHashMismatch: final(
    'The appData document does not hash to the given hash.',
    'Hash the exact bytes that are sent: keccak-256 of the UTF-8 text.',
  ),
  AppDataMismatch: final(
    'Another document is stored under this hash.',
    'Nothing can be done: the hash is taken.',
  ),
  ZeroAmount: final('Sell and buy amount must be positive.', 'Give both amounts.'),
  NonZeroFee: final(
    'Signed fees are not accepted: sign feeAmount 0.',
    'Sign with `feeAmount` 0; fees are taken from the surplus.',
  ),
  SellAmountOverflow: final(
    'The sell amount, or sell amount plus fee, exceeds uint256.',
    'Give less than 2^256 in all.',
  ),
  BuyAmountOverflow: final('The buy amount exceeds uint256.', 'Give less than 2^256.'),
  UnsupportedOrderType: final(
    'Orders of this form are not supported.',
    'Leave out what the description names.',
  ),
  UnsupportedBuyTokenDestination: final(
    'buyTokenBalance must be erc20.',
    'Sign with `buyTokenBalance` erc20.',
  ),
  UnsupportedSellTokenSource: final('sellTokenBalance must be erc20.', 'Sign with `sellTokenBalance` erc20.'),
  OrderExpired: final(
    'validTo is in the past (Unix seconds, not milliseconds).',
    'Sign a later `validTo`, in seconds.',
  ),
  InsufficientValidTo: final('validTo is too near.', 'Sign a later `validTo`.'),
  ExcessiveValidTo: final(
    'validTo is too far away.',
    'Sign an earlier `validTo`; it is in seconds, not in milliseconds.',
  ),
  InvalidValidFrom: final(
    'validFrom leaves too little time before validTo.',
    'Let `validTo` be later, or `validFrom` earlier.',
  ),
  SameBuyAndSellToken: final(
    'Sell and buy token are the same, and the service does not accept such an order: by default it accepts only sell orders.',
    'Choose two tokens; to unwrap, call the wrapping contract.',
  ),
  InvalidNativeSellToken: final(
    'The chain’s own coin cannot be sold directly: sell its wrapped form.',
    'Wrap the coin and sell the wrapped token.',
  ),
  UnsupportedToken: final('A token of the pair cannot be traded here.', 'Choose another token.'),
  InsufficientBalance: final(
    'The owner holds less than sellAmount + feeAmount.',
    'Fund the account, or sell less; `data` has both amounts.',
  ),
  InsufficientAllowance: final(
    'The vault relayer may not spend sellAmount + feeAmount.',
    'Approve the vault relayer that `data` names, then send the same order again.',
  ),
  TransferSimulationFailed: final(
    'Balance and allowance suffice, but the sell token refuses the transfer.',
    'Find out why the token refuses; `data` has its answer.',
  ),
  TooMuchGas: final(
    'The order needs more gas than a settlement may use.',
    'Use fewer or cheaper hooks, or a cheaper contract signature.',
  ),
  TooManyLimitOrders: final(
    'The owner has too many open limit orders out of market.',
    'Cancel some that are far from the market, or wait until some end.',
  ),
  DuplicatedOrder: final(
    'An order with this UID exists already.',
    'The order is there: read it. For a second one change `validTo` or the appData.',
  ),
  BadRequest: final(
    'The appData of an order to simulate is malformed or unknown.',
    'Send the document itself; correct the JSON path that the description names.',
  ),
  Forbidden: final('The account may not trade here.', 'Nothing can be done here.'),

  OldOrderActivelyBidOn: passing(
    'Solvers bid on the order to be replaced in one of the last auctions: it may still be settled.',
    'Wait for an auction or two, or cancel the old order and place the new one by itself.',
  ),

  OnChainOrder: final(
    'This order can only be cancelled on chain.',
    'Cancel it in the settlement contract: `invalidateOrder` or `setPreSignature(uid, false)`.',
  ),
  OrderFullyExecuted: final('The order is executed already.', 'Nothing is left to cancel.'),
  AlreadyCancelled: final('The order is cancelled already.', 'Nothing is left to cancel.'),
  Unauthorized: final('This needs the operator’s key.', 'Send the operator’s key.'),
  WrongOwner: final(
    'The signer does not own the order.',
    'Sign with the account that owns every order named.',
  ),

  NoLiquidity: passing('No route trades this pair at this size.', 'Try another size or pair, or later.'),
  SellAmountDoesNotCoverFee: final(
    'The sell amount is not more than the settlement cost, or the rest of it buys less than one atom.',
    'Sell more, and more than the `fee_amount` where `data` has it.',
  ),
  TradingOutsideAllowedWindow: passing(
    'A token of the pair trades at certain hours only; the description has the solver’s words.',
    'Come back when it trades.',
  ),
  TokenTemporarilySuspended: passing(
    'A token of the pair is paused; the description has the solver’s words.',
    'Come back when it trades again, or choose another token.',
  ),
  InsufficientLiquidity: final(
    'The pair trades, but not at this size; the description has the solver’s words.',
    'Request less.',
  ),
  CustomSolverError: passing(
    'A solver says why it has no price; the description has its words.',
    'Do as the description says.',
  ),
  QuoteNotVerified: passing(
    'No estimate could be simulated, and quotes must be verified here.',
    'Try again later, or request `priceQuality` optimal.',
  ),
  UpstreamRefused: final(
    'The service to which this network passes requests on refused; the description has its words.',
    'Do as the description says; `orderBook` has its own code.',
  ),
  InvalidTradeFilter: final(
    'Over REST, give exactly one of owner and orderUid; in GraphQL, not both.',
    'Name the owner or the order.',
  ),
  InvalidLimit: final('limit must be from 1 to 1000.', 'Request 1 to 1000.'),
  LIMIT_OUT_OF_BOUNDS: final('limit must be from 1 to 1000.', 'Request 1 to 1000.'),

  AffiliateWalletMismatch: final(
    'The wallet in the path and the one in the body differ.',
    'Send the same wallet in both.',
  ),
  InvalidAffiliateSignature: final(
    'The signature is not the wallet’s for this code; `data` has the known reason.',
    'Sign the AffiliateCode typed data again: the domain has a name and a version and nothing else, and the message’s chainId is 1.',
  ),
  AffiliateWalletBound: final(
    'The wallet has a code already.',
    'Read the code that it has; it is bound for good.',
  ),
  AffiliateCodeTaken: final('Another wallet has this code.', 'Choose another code.'),
  AffiliateExists: final('This very message has been used already.', 'Read what the wallet has.'),
  InvalidSignIn: final(
    'The message that proves an account is not accepted; `data.reason` names the member at fault.',
    'Request a new nonce, and sign a message with the domain and URI that come with it.',
  ),
  ChannelExists: final(
    'The account has a channel with this address, or with this mailbox in another spelling.',
    'Change that channel; while it is not confirmed, wait a minute to have its token sent again.',
  ),
  TooManyChannels: final('The account has the maximum number of channels.', 'Unsubscribe one first.'),
  TooManyConfirmations: passing(
    'The daily limit of confirmation messages to this address, or for this account, is reached.',
    'Look for the message that was sent, also among unwanted mail; `data.retryAfterMs` is the time until another can be sent.',
  ),
  TooManySecrets: passing(
    'The maximum number of previous secrets of the webhook are still valid, each for a day after its rotation.',
    'Use the newest secret; `data.retryAfterMs` is the time until another rotation is possible.',
  ),
  ChannelUnreachable: passing(
    'The token that confirms the channel cannot be sent to its address.',
    'Check the address; the description has the answer of its receiver.',
  ),
  ChannelNotFound: final(
    'The account has no such channel, or no channel waits for this token.',
    'List the channels of the account; subscribe again when a token has expired.',
  ),
  AffiliateCodeDisabled: final('The code has been switched off.', 'Use another code.'),
  FeatureDisabled: final(
    'This part of the service is switched off; the message names the setting.',
    'Nothing can be done here: the operator decides.',
  ),

  IdempotencyKeyReused: final(
    'Another request used this Idempotency-Key.',
    'Use a new key for a new request.',
  ),
  IdempotencyKeyInUse: passing(
    'The first request with this Idempotency-Key has no answer yet.',
    'Send the same again, with the same key, after `Retry-After` seconds.',
  ),

  RateLimited: passing(
    'Too many requests; honour Retry-After.',
    'Wait for `Retry-After` seconds, then send the same again.',
  ),
  Unavailable: passing(
    'A system that this answer needs is unavailable at the moment.',
    'Send the same again after a second, then after longer; if an order was sent, DuplicatedOrder then means that it is stored.',
  ),
  InternalServerError: passing(
    'A fault of the service.',
    'Send the same again later; if it persists, report the `X-Request-Id` to the operator.',
  ),
} as const satisfies Record<string, RefusalRow>

export type RefusalCode = keyof typeof refusalCodes
