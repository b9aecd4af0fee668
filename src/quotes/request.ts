import { type AppDataSources, readAppData } from '../app-data/read.ts'
import type { ParsedAppData } from '../domain/app-data/document.ts'
import { Refusal } from '../domain/errors/error.ts'
import { partnerVolumeFees } from '../domain/fee/policy.ts'
import { type FeeRule, volumeFeesFor } from '../domain/fee/rules.ts'
import { type Clock, unixSeconds } from '../domain/log.ts'
import type { Network } from '../domain/network/network.ts'
import type { SigningScheme } from '../domain/order/order.ts'
import { checkPair, checkParties, type TradingPolicy } from '../domain/order/trading-policy.ts'
import type { QuoteKind, QuoteRequest, QuoteTerms } from '../domain/quote/quote.ts'
import { hooksCall } from '../domain/settlement/calldata.ts'
import { hooksGas } from '../domain/settlement/gas.ts'
import type { Trader } from './price.ts'

interface QuoteLimits {
  /** The minimum distance of validTo from now, in seconds. */
  minValidity: number
  /** The maximum distance of validTo from now, in seconds; not for presign. */
  maxValidity: number
  /** The time for which a quote is valid, in seconds. */
  offered: number
  /** The time for which a quote for an order placed on chain is valid, in seconds. */
  offeredOnChain: number
}

/** The dependencies of checking requests. */
export interface QuoteRequestServices {
  network: Network
  now: Clock
  limits: QuoteLimits
  policy: TradingPolicy
  appDataSources: AppDataSources
  feeRules: readonly FeeRule[]
}

/** The values that follow from a valid request alone. */
export interface AcceptedRequest {
  trader: Trader
  /** The sum of its hooks' gas limits. */
  hooksGas: bigint
  extraGas: bigint
  terms: QuoteTerms
  quoteKind: QuoteKind
  /** The expiry of a quote made now. */
  expiration: Date
}

/**
 * Checks a request.
 * @throws Refusal in the interface's order: appData, accounts, balances, validity, tokens; Outage
 */
export async function acceptRequest(
  request: QuoteRequest,
  services: QuoteRequestServices,
): Promise<AcceptedRequest> {
  const appData = { hash: request.appDataHash, document: request.appDataDocument }
  const { parsedAppData } = await readAppData(appData, services.appDataSources)
  checkParties({ from: request.from, receiver: request.receiver }, services.policy)
  checkBalances(request)
  const validTo = quoteValidTo(request, services)
  checkPair(request, services.network, services.policy)
  return {
    trader: traderOf(request, parsedAppData, services.network),
    hooksGas: hooksGas(parsedAppData),
    extraGas:
      hooksGas(parsedAppData) + (request.signingScheme === 'eip1271' ? request.verificationGasLimit : 0n),
    terms: termsOf(request, parsedAppData, validTo, services),
    quoteKind: quoteKind(request.signingScheme, request.onchainOrder),
    expiration: expirationOf(request, services),
  }
}

/** The kind of stored quotes that fit orders with this signing scheme. */
export function quoteKind(scheme: SigningScheme, onchainOrder: boolean): QuoteKind {
  if (onchainOrder && scheme === 'eip1271') return 'eip1271onchainorder'
  if (onchainOrder && scheme === 'presign') return 'presignonchainorder'
  return 'standard'
}

function traderOf(
  { from, receiver }: QuoteRequest,
  { preHooks, postHooks }: ParsedAppData,
  { hooksTrampoline }: Network,
): Trader {
  const calls = (hooks: ParsedAppData['preHooks']) =>
    hooks.length > 0 ? [hooksCall(hooksTrampoline, hooks)] : []
  return { from, receiver, preHooks: calls(preHooks), postHooks: calls(postHooks) }
}

function termsOf(
  request: QuoteRequest,
  { partnerFees }: ParsedAppData,
  validTo: number,
  { network, now, feeRules }: QuoteRequestServices,
): QuoteTerms {
  const { from, receiver, appData, appDataHash, sellTokenBalance, buyTokenBalance, signingScheme } = request
  return {
    from,
    receiver,
    appData,
    appDataHash,
    sellTokenBalance,
    buyTokenBalance,
    signingScheme,
    validTo,
    volumeFees: volumeFeesFor(feeRules, request, network.wrappedNative, unixSeconds(now())),
    partnerFees: partnerVolumeFees(partnerFees),
  }
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

function quoteValidTo(
  { expiry, signingScheme }: QuoteRequest,
  { now, limits }: QuoteRequestServices,
): number {
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

function expirationOf(
  { signingScheme, onchainOrder }: QuoteRequest,
  { now, limits }: QuoteRequestServices,
): Date {
  const isStandard = quoteKind(signingScheme, onchainOrder) === 'standard'
  return new Date(now() + (isStandard ? limits.offered : limits.offeredOnChain) * 1000)
}
