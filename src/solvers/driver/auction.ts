import { priceScale } from '../../domain/amount.ts'
import type { Auction, AuctionOrder } from '../../domain/auction/auction.ts'
import { derivedOnce } from '../../domain/derived.ts'
import { type Address, nativeMarker, zeroAddress } from '../../domain/evm/address.ts'
import { duePreInteractions, filledAmount, type Order } from '../../domain/order/order.ts'
import { writeInteraction, writePolicy } from '../engine/request.ts'

/**
 * Writes the request about an auction as JSON text, except for the deadline, which differs. The text is
 * shared by all drivers.
 */
export type DriverAuctionWriter = (auction: Auction, deadline: Date) => string

export function createDriverAuctionWriter(): DriverAuctionWriter {
  return derivedOnce((auction, deadline) => JSON.stringify(writeDriverAuction(auction, deadline)))
}

/** The body of POST /solve of a driver. Amounts are the signed ones, as strings of digits. */
function writeDriverAuction(auction: Auction, deadline: Date) {
  const { id, orders, nativePrices } = auction
  const tokens = new Set(orders.flatMap(({ order }) => [order.sellToken, order.buyToken]))
  return {
    kind: 'full',
    id: id.toString(),
    tokens: [...tokens].map((token) => writeToken(token, nativePrices)),
    orders: orders.map(writeAuctionOrder),
    deadline: deadline.toISOString(),
    surplusCapturingJitOrderOwners: [],
  }
}

function writeToken(address: Address, prices: Auction['nativePrices']) {
  const price = address === nativeMarker ? priceScale : prices.get(address)
  return { address, price: price?.toString() ?? null, trusted: false }
}

/** An order in the form of the protocol's auctions. */
function writeAuctionOrder({ order, feePolicies }: Pick<AuctionOrder, 'order' | 'feePolicies'>) {
  return {
    uid: order.uid,
    sellToken: order.sellToken,
    buyToken: order.buyToken,
    sellAmount: order.sellAmount.toString(),
    buyAmount: order.buyAmount.toString(),
    protocolFees: feePolicies.map((policy) => writePolicy(policy, order.quote)),
    created: Math.floor(order.creationDate.getTime() / 1_000),
    validTo: order.validTo,
    kind: order.kind,
    receiver: order.receiver,
    owner: order.owner,
    partiallyFillable: order.partiallyFillable,
    executed: filledAmount(order).toString(),
    preInteractions: duePreInteractions(order).map(writeInteraction),
    postInteractions: order.interactions.post.map(writeInteraction),
    sellTokenBalance: order.sellTokenBalance,
    buyTokenBalance: order.buyTokenBalance,
    class: 'limit',
    appData: order.appData,
    signingScheme: order.signingScheme,
    signature: order.signature,
    quote: writeQuote(order),
  }
}

function writeQuote({ quote, sellAmount, feeAmount }: Order) {
  return {
    sellAmount: (quote?.sellAmount ?? sellAmount).toString(),
    buyAmount: (quote?.buyAmount ?? 0n).toString(),
    fee: (quote?.feeAmount ?? feeAmount).toString(),
    solver: quote?.solver ?? zeroAddress,
  }
}
