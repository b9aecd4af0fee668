import { maxUint256 } from '../../domain/amount.ts'
import { type Address, zeroAddress } from '../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'
import { keccakText } from '../../domain/evm/keccak.ts'
import type { Network } from '../../domain/network/network.ts'
import type { Interaction, OrderData } from '../../domain/order/order.ts'
import type { OrderUid } from '../../domain/order/uid.ts'
import { orderUid } from '../../domain/signing/signing.ts'
import { hashWords, uintWord } from '../../domain/signing/typed-data.ts'
import { encodeSettle, encodeTrade } from '../settlement/call.ts'

export type FabricatedTrade = Pick<
  OrderData,
  'kind' | 'receiver' | 'sellToken' | 'buyToken' | 'sellAmount' | 'buyAmount'
> & {
  owner: Address
  interactions: readonly [
    pre: readonly Interaction[],
    intra: readonly Interaction[],
    post: readonly Interaction[],
  ]
}

/** A settlement of an order that nobody signed: it passes once `slot` of the settlement contract's storage holds `presigned`. */
export interface FabricatedSettlement {
  calldata: Hex
  orderUid: OrderUid
  slot: Bytes32
}

/** No order of the world carries it: no fill or invalidation can be in the way. */
const appData = keccakText('TradeCheck: an order that is simulated and never signed')
const lastTime = 2 ** 32 - 1

/** What the settlement contract stores for an order whose owner has signed on chain. */
export const presigned = keccakText('GPv2Signing.Scheme.PreSign')
/** `preSignature` is the first thing in the settlement contract's storage. */
const preSignatureBase = uintWord(0n)

/** Takes exactly `sellAmount` and pays exactly `buyAmount`. @returns undefined for amounts that the contract can't multiply */
export function fabricateSettlement(
  { owner, interactions, ...terms }: FabricatedTrade,
  { chainId, settlement }: Pick<Network, 'chainId' | 'settlement'>,
): FabricatedSettlement | undefined {
  const { sellToken, buyToken, sellAmount, buyAmount } = terms
  if (sellAmount * buyAmount > maxUint256) return undefined
  const order = {
    ...terms,
    receiver: terms.receiver === zeroAddress ? null : terms.receiver,
    validTo: lastTime,
    appData,
    feeAmount: 0n,
    partiallyFillable: false,
    sellTokenBalance: 'erc20',
    buyTokenBalance: 'erc20',
  } satisfies OrderData
  const signed = { ...order, owner, signingScheme: 'presign', signature: '0x' } as const
  const uid = orderUid({ chainId, settlement }, order, owner)
  return {
    calldata: encodeSettle({
      tokens: [sellToken, buyToken],
      clearingPrices: [buyAmount, sellAmount],
      trades: [encodeTrade(signed, { sell: 0, buy: 1 }, 0n)],
      interactions,
      auctionId: 0n,
    }),
    orderUid: uid,
    slot: hashWords(uid, preSignatureBase),
  }
}
