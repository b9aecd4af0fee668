import { mulDivDown, mulDivUp } from '../../domain/amount.ts'
import type { Auction, AuctionOrder } from '../../domain/auction/auction.ts'
import type { Address } from '../../domain/evm/address.ts'
import { duePreInteractions } from '../../domain/order/order.ts'
import type { Pool } from '../../domain/routing/pool.ts'
import type { Token } from '../../domain/token/token.ts'
import { wrappedForm } from '../../domain/token/token.ts'
import { type EngineOrder, tokensOf, writeAuction } from './request.ts'

export interface AuctionWriterOptions {
  wrappedNative: Address
  /** Of those that are known; the others are sent without metadata. */
  tokens(addresses: readonly Address[]): Promise<ReadonlyMap<Address, Pick<Token, 'symbol' | 'decimals'>>>
  /** Keeps what was sent. */
  keep(auction: Auction, text: string): void
}

/** The request about an auction as JSON text. Written once for all engines. */
export type AuctionWriter = (auction: Auction, pools: readonly Pool[], deadline: Date) => Promise<string>

export function createAuctionWriter({ wrappedNative, tokens, keep }: AuctionWriterOptions): AuctionWriter {
  const texts = new WeakMap<Auction, Promise<string>>()

  async function write(auction: Auction, pools: readonly Pool[], deadline: Date): Promise<string> {
    const orders = auction.orders.map((entry) => toEngineOrder(entry, wrappedNative))
    const body = writeAuction({
      id: auction.id,
      orders,
      pools,
      tokens: await tokens(tokensOf({ orders, pools })),
      referencePrice: (token) => auction.nativePrices.get(token) ?? null,
      gasPrice: auction.gasPrice,
      deadline,
    })
    const text = JSON.stringify(body)
    keep(auction, text)
    return text
  }

  return (auction, pools, deadline) => {
    const text = texts.get(auction) ?? write(auction, pools, deadline)
    texts.set(auction, text)
    return text
  }
}

/** Engines trade the wrapped form of the native coin: the settlement unwraps it. */
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
