import { emptyAppDataDocument } from '../../src/domain/app-data/document.ts'
import type { Auction, AuctionOrder } from '../../src/domain/auction/auction.ts'
import { address, nativeMarker, zeroAddress } from '../../src/domain/evm/address.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import type { FeePolicy } from '../../src/domain/fee/policy.ts'
import type { Order, OrderQuote } from '../../src/domain/order/order.ts'
import { extraOrderGas } from '../../src/domain/settlement/gas.ts'
import { orderUid, type SigningDomain } from '../../src/domain/signing/signing.ts'

export const settlement = address('0x9008D19f58AAbD9eD0D60971565AA8510560ab41')
export const signingDomain: SigningDomain = { chainId: 11155111, settlement }

/** 0x11…11 and so on: addresses of tokens, accounts and pools that are easy to distinguish. */
export function numbered(digits: string) {
  return address(`0x${digits.repeat(40 / digits.length)}`)
}

export const wrapped = numbered('aa')
export const dollar = numbered('bb')
export const coin = numbered('cc')
export { nativeMarker }

/** An open order without history; its UID is computed from its values. */
export function sampleOrder(overrides: Partial<Order> = {}): Order {
  const order: Order = {
    id: 1n,
    chainId: signingDomain.chainId,
    uid: '0x',
    owner: numbered('0f'),
    settlementContract: settlement,
    sellToken: wrapped,
    buyToken: dollar,
    receiver: null,
    sellAmount: 10n ** 18n,
    buyAmount: 2_900n * 10n ** 6n,
    validTo: 2_000_000_000,
    appData: keccakText(emptyAppDataDocument),
    feeAmount: 0n,
    kind: 'sell',
    partiallyFillable: false,
    sellTokenBalance: 'erc20',
    buyTokenBalance: 'erc20',
    executedSellAmount: 0n,
    executedBuyAmount: 0n,
    executedFeeAmount: 0n,
    executedFee: 0n,
    executedFeeToken: wrapped,
    cancelledAt: null,
    invalidatedOnChain: false,
    presigned: false,
    effectiveValidTo: 2_000_000_000,
    class: 'limit',
    signingScheme: 'eip712',
    signature: `0x${'00'.repeat(65)}`,
    fullAppData: emptyAppDataDocument,
    creationDate: new Date(0),
    quoteId: null,
    fullBalanceCheck: false,
    validFrom: null,
    interactions: { pre: [], post: [] },
    quote: null,
    onchainUser: null,
    placementError: null,
    placementDetail: null,
    ...overrides,
  }
  return { ...order, uid: overrides.uid ?? orderUid(signingDomain, order, order.owner) }
}

export function sampleQuote(overrides: Partial<OrderQuote>): OrderQuote {
  return {
    gasAmount: 0n,
    gasPrice: 0n,
    sellTokenPrice: '0',
    sellAmount: 0n,
    buyAmount: 0n,
    feeAmount: 0n,
    solver: zeroAddress,
    verified: false,
    ...overrides,
  }
}

export function auctionOrder(overrides: Partial<Order> = {}, feePolicies: FeePolicy[] = []): AuctionOrder {
  const order = sampleOrder(overrides)
  const remaining = order.kind === 'sell' ? order.sellAmount : order.buyAmount
  return { order, remaining, feePolicies, extraGas: extraOrderGas(order, order.buyToken === nativeMarker) }
}

/** One wrapped native is 3,000 dollars of 6 decimals; a coin of 18 decimals is half a dollar. */
export function sampleAuction(orders: AuctionOrder[], gasPrice = 10n ** 9n): Auction {
  return {
    id: 7n,
    chainId: signingDomain.chainId,
    block: 100,
    deadlineBlock: 103,
    orders,
    nativePrices: new Map([
      [wrapped, 10n ** 18n],
      [dollar, 10n ** 30n / 3_000n],
      [coin, 10n ** 18n / 6_000n],
    ]),
    surplusCapturingOwners: [],
    gasPrice,
  }
}
