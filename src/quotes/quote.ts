import type { Address } from '../domain/address.ts'
import { formatRatioDown } from '../domain/amount.ts'
import { Refusal } from '../domain/error.ts'
import { hooksGas } from '../domain/gas.ts'
import { type Clock, unixSeconds } from '../domain/log.ts'
import type { Network } from '../domain/network.ts'
import type { SigningScheme } from '../domain/order.ts'
import type { Pool } from '../domain/pool.ts'
import type { Quote, QuoteKind, QuoteReply, QuoteRequest, QuoteSize } from '../domain/quote.ts'
import { wrappedForm } from '../domain/token.ts'
import type { Database } from '../storage/database.ts'
import { insertQuote } from '../storage/quotes.ts'
import { feeUp, quotedAmounts } from './amounts.ts'
import { type Library, readAppData } from './app-data.ts'
import { type Ask, type Estimate, estimate } from './estimate.ts'
import { nativeRate } from './native-price.ts'
import { checkPair, checkParties, type TradingPolicy } from './tradable.ts'

export interface QuoteLimits {
  /** validTo is at least this far away, in seconds. */
  minValidity: number
  /** validTo is at most this far away, in seconds; not for presign. */
  maxValidity: number
  /** How long an offer stands, in seconds. */
  offered: number
  /** The same for orders that are placed on chain. */
  offeredOnChain: number
}

/** What quoting on one network needs from outside. Reads throw an Outage when the node does not answer. */
export interface QuoteDesk {
  network: Network
  db: Database
  now: Clock
  limits: QuoteLimits
  policy: TradingPolicy
  library: Library
  /** Pools for routes between two tokens, and from them to the native coin, at the newest block. */
  pools(sellToken: Address, buyToken: Address): Promise<readonly Pool[]>
  gasPrice(): Promise<bigint>
  /** A quote of this network that was given before. */
  storedQuote(id: bigint): Promise<Quote | undefined>
  /** Reads symbol and decimals of tokens that are not stored yet. */
  learnTokens(tokens: readonly Address[]): Promise<void>
  /** Submission address of the solver whose routes these are. */
  solver: Address
}

/**
 * Prices an order of the request's form. `verified` stays false: nothing is simulated.
 * @throws Refusal in the order of the contract: appData, accounts, balances, validity, tokens, then the market's (NoLiquidity, SellAmountDoesNotCoverFee)
 */
export async function quote(request: QuoteRequest, desk: QuoteDesk): Promise<QuoteReply> {
  const { appDataHash: hash, appDataDocument: document } = request
  const { meaning } = await readAppData({ hash, document }, desk.library)
  checkParties({ from: request.from, receiver: request.receiver }, desk.policy)
  checkBalances(request)
  const validTo = quoteValidTo(request, desk)
  checkPair(request, desk.network, desk.policy)
  const extraGas =
    hooksGas(meaning) + (request.signingScheme === 'eip1271' ? request.verificationGasLimit : 0n)
  const fast = request.priceQuality === 'fast'
  const priced = await price(request, desk, extraGas)
  const offer: Omit<Quote, 'id'> = {
    ...priced,
    quoteKind: quoteKind(request.signingScheme, request.onchainOrder),
    expiration: fast ? new Date(0) : offerEnd(request, desk),
    verified: false,
  }
  const id = fast ? null : await insertQuote(desk.db, offer)
  const { from, receiver, appData, appDataHash, sellTokenBalance, buyTokenBalance, signingScheme } = request
  const echo = { from, receiver, appData, appDataHash, sellTokenBalance, buyTokenBalance, signingScheme }
  const terms = { ...echo, validTo, volumeFees: [], partnerFees: [] }
  return { quote: { ...offer, id }, terms, route: null }
}

export interface Priceable {
  kind: Ask['kind']
  sellToken: Address
  buyToken: Address
  size: QuoteSize
}

/** Amounts and costs at the newest block. @throws Refusal NoLiquidity, SellAmountDoesNotCoverFee */
export async function price(
  { kind, sellToken, buyToken, size }: Priceable,
  desk: QuoteDesk,
  extraGas: bigint,
): Promise<Omit<Quote, 'id' | 'quoteKind' | 'expiration' | 'verified'>> {
  const { network } = desk
  const [pools, gasPrice] = await Promise.all([
    desk.pools(sellToken, wrappedForm(buyToken, network.wrappedNative)),
    desk.gasPrice(),
    desk.learnTokens([sellToken, buyToken]),
  ])
  const found: Estimate | undefined = estimate(pools, network, {
    kind,
    sellToken,
    buyToken,
    amount: size.amount,
  })
  const rate = nativeRate(pools, network.wrappedNative, sellToken)
  if (!found || !rate || !nativeRate(pools, network.wrappedNative, buyToken)) {
    throw new Refusal('NoLiquidity', 'no route trades this pair at this size')
  }
  const amounts = quotedAmounts(size, found, feeUp(found.gas + extraGas, gasPrice, rate))
  if (amounts.buyAmount === 0n) throw new Refusal('NoLiquidity', 'the market pays nothing for this little')
  return {
    chainId: network.chainId,
    kind,
    sellToken,
    buyToken,
    ...amounts,
    gasAmount: found.gas,
    gasPrice,
    sellTokenPrice: formatRatioDown(rate.nativeAmount, rate.tokenAmount),
    solver: desk.solver,
  }
}

/** Which stored quotes an order may use follows from how it is signed. */
export function quoteKind(scheme: SigningScheme, onchainOrder: boolean): QuoteKind {
  if (onchainOrder && scheme === 'eip1271') return 'eip1271onchainorder'
  if (onchainOrder && scheme === 'presign') return 'presignonchainorder'
  return 'standard'
}

function checkBalances({ buyTokenBalance, sellTokenBalance }: QuoteRequest): void {
  if (buyTokenBalance !== 'erc20') {
    throw new Refusal('UnsupportedBuyTokenDestination', 'buyTokenBalance must be erc20', {
      field: 'buyTokenBalance',
    })
  }
  if (sellTokenBalance !== 'erc20') {
    throw new Refusal('UnsupportedSellTokenSource', 'sellTokenBalance must be erc20', {
      field: 'sellTokenBalance',
    })
  }
}

function quoteValidTo({ expiry, signingScheme }: QuoteRequest, { now, limits }: QuoteDesk): number {
  const seconds = unixSeconds(now())
  const relative = 'validFor' in expiry
  const field = relative ? 'validFor' : 'validTo'
  const validTo = relative ? Math.min(seconds + expiry.validFor, 2 ** 32 - 1) : expiry.validTo
  if (validTo < seconds + limits.minValidity) {
    throw new Refusal('InsufficientValidTo', `validTo must be at least ${limits.minValidity} s from now`, {
      field,
    })
  }
  if (signingScheme !== 'presign' && validTo > seconds + limits.maxValidity) {
    throw new Refusal('ExcessiveValidTo', `validTo must be at most ${limits.maxValidity} s from now`, {
      field,
    })
  }
  return validTo
}

function offerEnd({ signingScheme, onchainOrder }: QuoteRequest, { now, limits }: QuoteDesk): Date {
  const seconds =
    quoteKind(signingScheme, onchainOrder) === 'standard' ? limits.offered : limits.offeredOnChain
  return new Date(now() + seconds * 1000)
}
