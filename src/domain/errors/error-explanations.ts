import {
  type ErrorCode,
  type Explanation,
  type ExplanationRow,
  outcomes,
  type ProgramFault,
  programFaults,
  traderRow,
  wait,
  waitAndSearch,
} from './explanation.ts'
import { refusalCodes } from './refusal-codes.ts'

/** Texts for traders, who know nothing of requests, typed data and atoms. */
export const traderExplanations: Record<Exclude<ErrorCode, ProgramFault>, ExplanationRow> = {
  NotFound: traderRow(
    'any',
    'There is nothing with this id, or at this address.',
    'Check the id, and that the network is the right one. If a wallet or another program sent the request, it is a fault of that program: tell its makers.',
    { heard: 'there is nothing at this path' },
  ),
  OrderNotFound: traderRow(
    'any',
    'There is no order with this id here.',
    'Check that the number was copied whole, and that the wallet is on the right network. Search for your account to see its orders.',
    { heard: 'order was not found, there is no such order' },
  ),

  InvalidSignature: traderRow(
    'placingOrCancelling',
    'The signature does not fit: another account signed, or something else was signed than was sent.',
    'Choose in the wallet the account that the order is for, and sign again. If it stays, it is a fault of the wallet or program: tell its makers.',
    {
      heard:
        'signature recovers to, from is; signature must be bytes compact ones; must end in v; does not recover to any signer; s in the upper half of the curve order; only an eip712 or ethsign order replaces another',
    },
  ),
  InvalidEip1271Signature: traderRow(
    'placing',
    'Your account is a contract (a smart wallet), and that contract does not accept the signature.',
    'Let as many owners of the smart wallet sign as it needs, then place the order again. A smart wallet has to be deployed on this network.',
    {
      heard:
        'isValidSignature does not accept the signature, it used gas; the wallet’s signature has bytes, more than; deploy it first, or by a pre-hook of the order; a settlement does not make the call of an ERC-6492 signature; has no code: eip1271 is for contract wallets that are deployed; the code of or of the order’s hooks does not end',
    },
  ),
  ZeroAmount: traderRow(
    'placing',
    'One of the two amounts of the order is zero.',
    'Enter an amount to sell and the least to receive, both above zero.',
    { heard: 'sellAmount buyAmount must be positive' },
  ),
  OrderExpired: traderRow(
    'placingOrCancelling',
    'The time until which the order was to be valid is over.',
    'To place it, sign it again with a later time, and check the clock of your device. An expired order need not be cancelled. What was filled of one that was accepted before, its page says.',
    { heard: 'validTo is in the past, now; deadline has passed, has expired' },
  ),
  InsufficientValidTo: traderRow(
    'any',
    'The order would expire too soon to be filled.',
    'Choose a later time of expiry, and sign soon after the wallet asks you to.',
    { heard: 'validTo must be at least s from now' },
  ),
  ExcessiveValidTo: traderRow(
    'any',
    'The order would be valid for longer than is allowed here.',
    'Choose an earlier time of expiry.',
    { heard: 'validTo must be at most s from now' },
  ),
  InvalidValidFrom: traderRow(
    'placing',
    'Between the time from which the order may be filled and its expiry is too little time.',
    'Choose a later time of expiry, or an earlier start.',
    { heard: 'validTo must be at least s after appData validFrom' },
  ),
  SameBuyAndSellToken: traderRow(
    'any',
    'The token to sell and the token to buy are the same.',
    'Choose two different tokens. The chain’s coin and its wrapped form are exchanged by the contract of the wrapped form, without an order.',
    { heard: 'sellToken and buyToken are the same' },
  ),
  InvalidNativeSellToken: traderRow(
    'any',
    'The chain’s own coin cannot be sold by a signed order.',
    'Wrap it first (so that ETH becomes WETH), then sell the wrapped form.',
    { heard: 'instead' },
  ),
  UnsupportedToken: traderRow(
    'any',
    'One of the two tokens cannot be traded here: it is not admitted, takes a fee from transfers, changes balances by itself, or cannot be transferred.',
    'Choose another token.',
    {
      heard:
        'is not traded here, is not supported, takes a fee from transfers, changes balances by itself, cannot be transferred',
    },
  ),
  InsufficientBalance: traderRow(
    'placingOrReverting',
    'Your balance is too low: the account holds less of the token than the order sells.',
    'Sell less, or move more of the token to the account, on the network of the order. Then place the order again.',
    {
      heard:
        'owner holds of the sell token, the order needs; not enough funds; reverted: ERC20: transfer exceeds balance',
    },
  ),
  InsufficientAllowance: traderRow(
    'placingOrReverting',
    'Your allowance is too low: you have not approved enough of the token that you sell. The contract that takes the tokens when an order is filled (the vault relayer) may take less than the order sells.',
    'Approve that contract in the wallet, for the token that you sell and at least the amount of the order. Then place the order again.',
    {
      approves: true,
      heard: 'may spend of the sell token, the order needs; reverted: ERC20: transfer exceeds allowance',
    },
  ),
  TransferSimulationFailed: traderRow(
    'placingOrReverting',
    'Your account holds enough, and enough is approved, and still the token that you sell refuses to be transferred. The transfer reverts.',
    'Tokens can be paused, or refuse single accounts: ask the makers of the token. If the order has calls of its own (hooks), try it without them.',
    { heard: 'execution reverted, reverts with; hooks do not end in the time' },
  ),
  TooMuchGas: traderRow(
    'placing',
    'What the order does besides the trade costs more gas than one order may use.',
    'Leave out calls that were added to the order (hooks). If none were, it is a fault of the wallet: tell its makers.',
    { heard: 'needs are allowed' },
  ),
  TooManyLimitOrders: traderRow(
    'placing',
    'Your account has as many open orders with a price far from the market as it may.',
    'Cancel some of them, or wait until some expire. Search for your account to see them.',
    { heard: 'no more are taken' },
  ),
  DuplicatedOrder: traderRow(
    'there',
    'This very order was placed before.',
    'Search for its number, or for your account, to see it. To trade the same a second time, place a new order with another time of expiry.',
  ),
  Forbidden: traderRow(
    'any',
    'This account may not trade here, or may not receive what is bought.',
    'Nothing can be done in the wallet: who runs the service decides that.',
  ),
  OldOrderActivelyBidOn: traderRow(
    'replacing',
    'The order that was to be replaced may be about to be filled.',
    'Wait a minute, then see whether it was filled. If it was not, try again.',
    { heard: 'solvers bid on settlement of the order to be replaced is on its way' },
  ),
  OnChainOrder: traderRow(
    'cancelling',
    'This order was signed on chain, as by a smart wallet: it can only be cancelled there.',
    'Cancel it with the wallet that placed it, by a transaction.',
    { heard: 'presign eip1271 orders are cancelled on chain' },
  ),
  OrderFullyExecuted: traderRow(
    'cancelling',
    'The order was filled before it could be cancelled.',
    'Nothing of it is left to cancel. Search for the order to see its trade.',
  ),
  AlreadyCancelled: traderRow(
    'cancelling',
    'The order was cancelled before.',
    'For this order nothing needs to be done.',
  ),
  WrongOwner: traderRow(
    'placingOrCancelling',
    'Another account signed than the one that the order belongs to.',
    'Choose in the wallet the account of the order, and sign again.',
    { heard: 'signature recovers to, the order belongs to; the order to be replaced belongs to' },
  ),

  NoLiquidity: traderRow(
    'quoting',
    'No way was found to trade these two tokens for this amount.',
    'Try another amount or another pair of tokens, or try later.',
    {
      heard:
        'the trade does not settle: its simulation failed; no route leads from this token to the native coin',
    },
  ),
  SellAmountDoesNotCoverFee: traderRow(
    'quoting',
    'The amount is so small that the gas of the trade would cost all of it, or that it would buy nothing.',
    'Sell more, or wait until gas is cheaper.',
    {
      heard: 'the fee is sell token atoms; fee exceeds from amount; buys less than one atom of the buy token',
    },
  ),
  TradingOutsideAllowedWindow: traderRow(
    'quoting',
    'One of the two tokens is traded at certain hours only.',
    'Come back when it trades.',
    { heard: 'market closed' },
  ),
  TokenTemporarilySuspended: traderRow(
    'quoting',
    'One of the two tokens is not traded for the moment.',
    'Come back when it trades again, or choose another token.',
  ),
  InsufficientLiquidity: traderRow(
    'quoting',
    'The two tokens are traded, but not for an amount as large as this.',
    'Try a smaller amount.',
  ),
  CustomSolverError: traderRow(
    'quoting',
    'The program that was asked for a price has none, and says why in the message.',
    'Do as the message says, or try later.',
    { heard: 'gives no reason' },
  ),
  QuoteNotVerified: traderRow(
    'quoting',
    'No price was found that a trial on chain confirms.',
    'Try later, or another amount.',
    { heard: 'no estimate, which this quote requires' },
  ),
  UpstreamRefused: traderRow(
    'any',
    'The service behind this one refuses, and says why in the message.',
    'Do as the message says.',
    { heard: 'upstream refuses the request' },
  ),

  AffiliateWalletBound: traderRow(
    'any',
    'Your account has a code already, which it keeps.',
    'Use the code that it has.',
  ),
  AffiliateCodeTaken: traderRow('any', 'Another account has this code already.', 'Choose another code.'),
  AffiliateExists: traderRow('any', 'This code was registered before.', 'Nothing needs to be done.'),
  InvalidSignIn: traderRow(
    'any',
    'The message that was signed to prove your account is not accepted.',
    'Open the page of your account again, and sign in once more with the account that it is of.',
    { heard: 'the signature is not the account’s for this message' },
  ),
  ChannelExists: traderRow(
    'any',
    'Notifications of your account go to this address already.',
    'Change that entry. While it is not confirmed, wait a minute to have its message sent again.',
  ),
  TooManyChannels: traderRow(
    'any',
    'Notifications of your account go to as many addresses as they may.',
    'Remove one of them first.',
    { heard: 'an account has at most channels' },
  ),
  TooManyConfirmations: traderRow(
    'any',
    'As many messages that ask for a confirmation as may be were sent in a day.',
    'Look for the message that was sent, also among unwanted mail, or try again tomorrow.',
  ),
  ChannelUnreachable: traderRow(
    'any',
    'The message that asks for a confirmation could not be sent to this address.',
    'Check the address.',
    { heard: 'the receiver cannot be reached' },
  ),
  ChannelNotFound: traderRow(
    'any',
    'Notifications of your account do not go there, or the link of the message is too old.',
    'See on the page of your account where they go, and subscribe again.',
  ),
  AffiliateCodeDisabled: traderRow('any', 'The code was switched off.', 'Use another code.'),
  FeatureDisabled: traderRow(
    'any',
    'This part of the service is switched off here.',
    'Nothing can be done in the wallet: who runs the service decides that.',
    { heard: 'this is off, channels of the kind are not enabled here, needs' },
  ),

  IdempotencyKeyInUse: traderRow(
    'unknown',
    'The same was asked for twice, and the first request has no answer yet.',
    waitAndSearch,
  ),
  RateLimited: traderRow('any', 'Too many requests were made in a short time.', wait, {
    heard:
      'over orders, sign-ins and other changes a second: wait s, over a minute, client watches too many already',
  }),
  Unavailable: traderRow(
    'unknown',
    'Something that the service needs does not answer for the moment.',
    waitAndSearch,
    { heard: 'no answer in time' },
  ),
  InternalServerError: traderRow(
    'unknown',
    'This is a fault of the service.',
    `${waitAndSearch} If it stays, tell who runs the service.`,
  ),

  QuoteNotFound: traderRow(
    'onChain',
    'The price (the quote) that the order names is not known here, or is for other tokens or amounts.',
    'Cancel the order with the wallet that placed it, ask for a new price, and place it again.',
    { heard: 'no quote has the id, does not fit' },
  ),
  ValidToTooFarInFuture: traderRow(
    'onChain',
    'The order is valid for longer than orders may be.',
    'Cancel the order with the wallet that placed it, and place it again with an earlier time of expiry.',
    { heard: 'it expires more than seconds after it was placed' },
  ),
  PreValidationError: traderRow(
    'onChain',
    'The order does not pass the checks that every order has to pass. Its page says which.',
    'Cancel the order with the wallet that placed it. This is a fault of the wallet or program that placed the order: tell its makers.',
  ),
}

export interface ExplainedError extends Explanation {
  code: ErrorCode
  /** True if the network's contract that takes sell tokens must be approved. */
  approves: boolean
}

const ofPrograms =
  'This is a fault of the wallet or program that sent the request: tell its makers, with this word and the whole text of the error.'

export const explanations: Readonly<Record<ErrorCode, ExplanationRow>> = {
  ...traderExplanations,
  ...programFaults,
}

export const errorCodes = Object.keys(explanations) as ErrorCode[]

/** Finds a code, regardless of upper and lower case. */
export function codeNamed(name: string): ErrorCode | undefined {
  return errorCodes.find((code) => code.toLowerCase() === name.toLowerCase())
}

export function explained(code: ErrorCode): ExplainedError {
  const { outcome, meaning = descriptionOf(code), advice = ofPrograms, approves = false } = explanations[code]
  return { code, meaning, advice, outcome: outcomes[outcome], approves }
}

/** The description of a code, for programs. */
function descriptionOf(code: ErrorCode): string {
  return code in refusalCodes ? refusalCodes[code as keyof typeof refusalCodes].description : ''
}
