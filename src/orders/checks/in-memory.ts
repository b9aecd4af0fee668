import { maxUint256 } from '../../domain/amount.ts'
import type { ParsedAppData } from '../../domain/app-data/document.ts'
import { Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import { unixSeconds } from '../../domain/log.ts'
import type { OrderData } from '../../domain/order/order.ts'
import { checkPair, checkParties } from '../../domain/order/trading-policy.ts'
import { hooksGas } from '../../domain/settlement/gas.ts'
import type { Check, Draft, OrderLimits, QuotedCandidate } from '../check.ts'
import { checkDeclaredSigner } from '../owner.ts'

/** Refuses values that the signed type allows but the service does not trade. */
export const form: Check<Draft> = ({ order }) => checkForm(order)

export function checkForm(order: OrderData): void {
  if (order.feeAmount > 0n && order.partiallyFillable) {
    throw new Refusal('UnsupportedOrderType', 'a partially fillable order can’t carry a signed fee', {
      field: 'feeAmount',
    })
  }
  if (order.buyTokenBalance !== 'erc20') {
    throw new Refusal('UnsupportedBuyTokenDestination', 'buyTokenBalance must be erc20', {
      field: 'buyTokenBalance',
    })
  }
  if (order.sellTokenBalance !== 'erc20') {
    throw new Refusal('UnsupportedSellTokenSource', 'sellTokenBalance must be erc20', {
      field: 'sellTokenBalance',
    })
  }
}

/** Neither the owner nor the receiver is on the deny list. */
export const accounts: Check<Draft> = ({ order: { receiver }, owner }, { policy }) =>
  checkParties({ owner, receiver }, policy)

/** Both amounts are positive, and the amount that the vault relayer pulls fits uint256. */
export const amounts: Check<Draft> = ({ order }) => checkAmounts(order)

export function checkAmounts(order: OrderData): void {
  if (order.sellAmount === 0n)
    throw new Refusal('ZeroAmount', 'sellAmount must be positive', { field: 'sellAmount' })
  if (order.buyAmount === 0n)
    throw new Refusal('ZeroAmount', 'buyAmount must be positive', { field: 'buyAmount' })
  if (order.sellAmount + order.feeAmount > maxUint256) {
    throw new Refusal('SellAmountOverflow', 'sellAmount + feeAmount exceeds uint256', { field: 'sellAmount' })
  }
}

/**
 * Checks an order's document. An order sent with a bare hash is checked as soon as its document is found.
 */
export const document: Check = ({ parsedAppData, owner }) => checkDocument(parsedAppData, owner)

export function checkDocument({ signer, wrapped }: ParsedAppData, owner: Address): void {
  checkDeclaredSigner(signer, owner)
  if (wrapped) {
    throw new Refusal('UnsupportedOrderType', 'wrappers are not available on this service', {
      field: 'appData',
    })
  }
}

/** Fees are taken from the surplus at settlement, so the signed fee must be zero. */
export const signedFee: Check = ({ order }) => {
  if (order.feeAmount > 0n) throw new Refusal('NonZeroFee', 'feeAmount must be 0', { field: 'feeAmount' })
}

/** The service trades the two tokens for each other. */
export const tokens: Check<Draft> = ({ order }, { network, policy }) => checkPair(order, network, policy)

/** An order with a later start leaves enough time to settle it before it expires. */
export const validFrom: Check = ({ order, parsedAppData }, { limits }) =>
  checkValidFrom(parsedAppData, order, limits)

export function checkValidFrom(
  { validFrom }: Pick<ParsedAppData, 'validFrom'>,
  { validTo }: Pick<OrderData, 'validTo'>,
  limits: Pick<OrderLimits, 'minValidity'>,
): void {
  if (validFrom !== null && validTo < validFrom + limits.minValidity) {
    throw new Refusal(
      'InvalidValidFrom',
      `validTo must be at least ${limits.minValidity} s after appData validFrom`,
      {
        field: 'appData',
      },
    )
  }
}

/**
 * The order is valid long enough to be settled, and no longer than its class allows. Presign orders have no
 * upper bound.
 */
export const validity: Check<Draft> = ({ order, creation }, { now, limits }) => {
  const seconds = unixSeconds(now())
  const field = 'validTo'
  if (order.validTo < seconds) {
    throw new Refusal(
      'OrderExpired',
      `validTo ${order.validTo} is in the past (now ${seconds}, Unix seconds)`,
      { field },
    )
  }
  if (order.validTo < seconds + limits.minValidity) {
    throw new Refusal('InsufficientValidTo', `validTo must be at least ${limits.minValidity} s from now`, {
      field,
    })
  }
  const max = order.feeAmount > 0n ? limits.maxMarketValidity : limits.maxLimitValidity
  if (creation.signingScheme !== 'presign' && order.validTo > seconds + max) {
    throw new Refusal('ExcessiveValidTo', `validTo must be at most ${max} s from now`, { field })
  }
}

/** The gas to settle the order, with the wallet's signature check and all hooks, is within the limit. */
export const gas: Check<QuotedCandidate> = ({ quote, parsedAppData, signatureGas }, { limits }) =>
  checkGas((quote?.gasAmount ?? 0n) + signatureGas + hooksGas(parsedAppData), limits)

export function checkGas(needed: bigint, { maxGas }: Pick<OrderLimits, 'maxGas'>): void {
  if (needed > maxGas) {
    throw new Refusal('TooMuchGas', `the order needs ${needed} gas, ${maxGas} are allowed`, {
      data: { need: needed.toString(), limit: maxGas.toString() },
    })
  }
}
