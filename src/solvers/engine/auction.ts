import { mulDivDown, mulDivUp } from '../../domain/amount.ts'
import type { Auction, AuctionOrder } from '../../domain/auction/auction.ts'
import type { Address } from '../../domain/evm/address.ts'
import { duePreInteractions } from '../../domain/order/order.ts'
import type { Pool } from '../../domain/routing/pool.ts'
import type { Token } from '../../domain/token/token.ts'
import { wrappedForm } from '../../domain/token/token.ts'
import { type EngineOrder, type EngineRequest, tokensOf, withAvailable, writeAuction } from './request.ts'

export interface AuctionWriterOptions {
  wrappedNative: Address
  /** Returns the known tokens; the others are sent without metadata. */
  tokens(addresses: readonly Address[]): Promise<ReadonlyMap<Address, Pick<Token, 'symbol' | 'decimals'>>>
  /** Keeps the sent text. */
  keep(auction: Auction, text: string): void
}

/**
 * Writes the request about an auction as JSON text. The text is shared by all engines, except for those that
 * may use some of the settlement contract's tokens.
 * @param available amounts that may be used, by token
 */
export type AuctionWriter = (
  auction: Auction,
  pools: readonly Pool[],
  deadline: Date,
  available?: ReadonlyMap<Address, bigint>,
) => Promise<string>

export function createAuctionWriter({ wrappedNative, tokens, keep }: AuctionWriterOptions): AuctionWriter {
  const requests = new WeakMap<Auction, Promise<{ body: EngineRequest; text: string }>>()

  async function write(auction: Auction, pools: readonly Pool[], deadline: Date) {
    const orders = auction.orders.map((entry) => toEngineOrder(entry, wrappedNative))
    const body = writeAuction({
      id: auction.id,
      orders,
      pools,
      tokens: await tokens(tokensOf({ orders, pools })),
      referencePrice: (token) => auction.nativePrices.get(token) ?? null,
      gasPrice: auction.gasPrice,
      deadline,
      surplusCapturingOwners: auction.surplusCapturingOwners,
    })
    const text = JSON.stringify(body)
    keep(auction, text)
    return { body, text }
  }

  return async (auction, pools, deadline, available = new Map()) => {
    const request = requests.get(auction) ?? write(auction, pools, deadline)
    requests.set(auction, request)
    const { body, text } = await request
    return available.size === 0 ? text : JSON.stringify(withAvailable(body, available))
  }
}

/** Converts an order. Engines trade the wrapped form of the native coin: the settlement unwraps it. */
function toEngineOrder({ order, remaining, feePolicies }: AuctionOrder, wrappedNative: Address): EngineOrder {
  const { kind, sellAmount, buyAmount } = order
  const rest =
    kind === 'sell'
      ? { sellAmount: remaining, buyAmount: mulDivUp(buyAmount, remaining, sellAmount) }
      : { sellAmount: mulDivDown(sellAmount, remaining, buyAmount), buyAmount: remaining }
  return {
    uid: order.uid,
    sellToken: order.sellToken,
    buyToken: wrappedForm(order.buyToken, wrappedNative),
    ...rest,
    fullSellAmount: sellAmount,
    fullBuyAmount: buyAmount,
    validTo: order.validTo,
    kind,
    receiver: order.receiver,
    owner: order.owner,
    partiallyFillable: order.partiallyFillable,
    sellTokenSource: order.sellTokenBalance,
    buyTokenDestination: order.buyTokenBalance,
    class: order.class === 'market' ? 'market' : 'limit',
    appData: order.appData,
    signingScheme: order.signingScheme,
    signature: order.signature,
    feePolicies,
    quote: order.quote,
    preInteractions: duePreInteractions(order),
    postInteractions: order.interactions.post,
  }
}
