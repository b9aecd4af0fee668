import type { Address } from '../evm/address.ts'
import type { Hex } from '../evm/hex.ts'
import type { Order, OrderData, SigningScheme } from '../order/order.ts'
import type { OrderUid } from '../order/uid.ts'
import { extraOrderGas } from '../settlement/gas.ts'
import type { Auction, AuctionOrder } from './auction.ts'
import type { Proposal } from './solution.ts'

/** An order that a solver brings into its own settlement. It was never placed with the service. */
export interface JitOrder {
  data: OrderData
  uid: OrderUid
  owner: Address
  signingScheme: SigningScheme
  /** The signature without the leading owner of the settlement contract's form; `0x` for presign. */
  signature: Hex
}

/** Converts to an order of the service: class liquidity, without history and without protocol fees. */
export function toLiquidityOrder(
  { data, uid, owner, signingScheme, signature }: JitOrder,
  { chainId, settlement }: { chainId: number; settlement: Address },
): Order {
  return {
    ...data,
    id: 0n,
    chainId,
    uid,
    owner,
    settlementContract: settlement,
    class: 'liquidity',
    signingScheme,
    signature,
    fullAppData: null,
    creationDate: new Date(0),
    quoteId: null,
    fullBalanceCheck: false,
    validFrom: null,
    interactions: { pre: [], post: [] },
    quote: null,
    onchainUser: null,
    placementError: null,
    placementDetail: null,
    executedSellAmount: 0n,
    executedBuyAmount: 0n,
    executedFeeAmount: 0n,
    executedFee: 0n,
    executedFeeToken: data.sellToken,
    cancelledAt: null,
    invalidatedOnChain: false,
    presigned: false,
    effectiveValidTo: data.validTo,
  }
}

/**
 * The entry with the part that the solver may fill: the full signed amount. The settlement contract knows how
 * much is filled already.
 */
export function toJitEntry(order: Order, buysNative: boolean): AuctionOrder {
  const remaining = order.kind === 'sell' ? order.sellAmount : order.buyAmount
  return { order, remaining, feePolicies: [], extraGas: extraOrderGas(order, buysNative) }
}

/** The orders that a proposal may trade: those of the auction and its own. */
export function tradable({ orders }: Pick<Auction, 'orders'>, { jitOrders = [] }: Proposal): AuctionOrder[] {
  return jitOrders.length === 0 ? orders : [...orders, ...jitOrders]
}
