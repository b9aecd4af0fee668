import { createHash } from 'node:crypto'
import secp256k1 from 'secp256k1'
import type { Address } from '../../src/domain/evm/address.ts'
import { type Bytes32, bytesToHex, hexToBytes } from '../../src/domain/evm/hex.ts'
import { keccak } from '../../src/domain/evm/keccak.ts'
import type { Network } from '../../src/domain/network/network.ts'
import type { OrderData } from '../../src/domain/order/order.ts'
import { orderUid } from '../../src/domain/signing/signing.ts'

export const hashOf = (text: string): Bytes32 => bytesToHex(createHash('sha256').update(text).digest())

export const keyOf = (name: string): Uint8Array => createHash('sha256').update(name).digest()

export const addressOf = (key: Uint8Array): Address =>
  bytesToHex(keccak(secp256k1.publicKeyCreate(key, false).subarray(1)).subarray(12))

interface Signed {
  key: Uint8Array
  document: string
  createdAt: Date
}

/** Returns an open order as order books write it, signed by its owner's key. */
export function bookOrder(
  network: Pick<Network, 'chainId' | 'settlement'>,
  data: OrderData,
  { key, document, createdAt }: Signed,
) {
  const owner = addressOf(key)
  const uid = orderUid(network, data, owner)
  const { signature, recid } = secp256k1.ecdsaSign(hexToBytes(`0x${uid.slice(2, 66)}`), key)
  return {
    ...data,
    sellAmount: String(data.sellAmount),
    buyAmount: String(data.buyAmount),
    feeAmount: '0',
    uid,
    owner,
    signingScheme: 'eip712',
    signature: `${bytesToHex(signature)}${(27 + recid).toString(16)}`,
    fullAppData: document,
    creationDate: createdAt.toISOString(),
    class: 'limit',
    status: 'open',
    availableBalance: null,
    invalidated: false,
    isLiquidityOrder: false,
    settlementContract: network.settlement,
    interactions: { pre: [], post: [] },
    executedFeeAmount: '0',
    executedFee: '0',
    executedFeeToken: data.sellToken,
  }
}
