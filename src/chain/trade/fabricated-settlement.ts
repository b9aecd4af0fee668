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

/**
 * A settlement of an unsigned order. It is valid once `slot` of the settlement contract's storage holds
 * `presigned`.
 */
export interface FabricatedSettlement {
  calldata: Hex
  orderUid: OrderUid
  slot: Bytes32
}

/**
 * The appData of the simulated order. No real order has it, so the order cannot be filled or invalidated
 * already.
 */
const appData = keccakText('TradeCheck: an order that is simulated and never signed')
const maxValidTo = 2 ** 32 - 1

/** The value that the settlement contract stores for a pre-signed order. */
export const presigned = keccakText('GPv2Signing.Scheme.PreSign')
/** The slot of the `preSignature` mapping in the settlement contract. */
const preSignatureBase = uintWord(0n)

/**
 * Creates a settlement that takes exactly `sellAmount` and pays exactly `buyAmount`.
 * @returns undefined if their product exceeds uint256
 */
export function fabricateSettlement(
  { owner, interactions, ...terms }: FabricatedTrade,
  { chainId, settlement }: Pick<Network, 'chainId' | 'settlement'>,
): FabricatedSettlement | undefined {
  const { sellToken, buyToken, sellAmount, buyAmount } = terms
  if (sellAmount * buyAmount > maxUint256) return undefined
  const order = {
    ...terms,
    receiver: terms.receiver === zeroAddress ? null : terms.receiver,
    validTo: maxValidTo,
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
