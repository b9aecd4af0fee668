import { createHash } from 'node:crypto'
import secp256k1 from 'secp256k1'
import type { Market } from '../../src/dev/market/market.ts'
import { type Address, address } from '../../src/domain/evm/address.ts'
import { type Bytes32, bytesToHex, type Hex, hexToBytes } from '../../src/domain/evm/hex.ts'
import { keccak, keccakText } from '../../src/domain/evm/keccak.ts'
import { type OrderData, packOrderUid } from '../../src/domain/order/order.ts'
import { orderDigest } from '../../src/domain/signing/signing.ts'
import { post, type Question } from '../load/question.ts'

export interface Trader {
  address: Address
  key: Uint8Array
}

/** The number of quotes that orders name, each with another amount. */
export const quotes = 100
const apps = 20

const ether = 10n ** 18n

export function quotedAmount(quote: number): bigint {
  return BigInt(quote) * ether
}

/** Creates the same traders on every run. */
export function createTraders(count: number): Trader[] {
  return Array.from({ length: count }, (_, index) => {
    const key = createHash('sha256').update(`trader ${index}`).digest()
    const point = secp256k1.publicKeyCreate(key, false)
    return { key, address: address(bytesToHex(keccak(point.subarray(1)).subarray(12))) }
  })
}

/** Returns signed orders, no two alike: the traders alternate, and each order has a quote. */
export function signOrders(traders: readonly Trader[], count: number, market: Market): Question[] {
  const { network, tokens } = market
  const validTo = Math.floor(Date.now() / 1000) + 3_600
  return Array.from({ length: count }, (_, index) => {
    const trader = traders[index % traders.length]
    if (!trader) throw new Error('there are no traders')
    const document = `{"appCode":"bench ${index % apps}","metadata":{"orderClass":{"orderClass":"limit"}},"version":"1.3.0"}`
    const quoteId = 1 + (index % quotes)
    const data: OrderData = {
      sellToken: tokens.DAI.address,
      buyToken: tokens.WETH.address,
      receiver: trader.address,
      sellAmount: quotedAmount(quoteId),
      buyAmount: BigInt(1 + index),
      validTo,
      appData: keccakText(document),
      feeAmount: 0n,
      kind: 'sell',
      partiallyFillable: false,
      sellTokenBalance: 'erc20',
      buyTokenBalance: 'erc20',
    }
    const { digest, signature } = signOrder(trader, data, market)
    const body = {
      ...data,
      sellAmount: String(data.sellAmount),
      buyAmount: String(data.buyAmount),
      feeAmount: '0',
      appData: document,
      appDataHash: data.appData,
      from: trader.address,
      signature,
      signingScheme: 'eip712',
      quoteId,
    }
    return {
      request: post(`/${network.name}/api/v1/orders`, JSON.stringify(body)),
      expect: packOrderUid(digest, trader.address, validTo),
    }
  })
}

export function signOrder(
  { key }: Pick<Trader, 'key'>,
  data: OrderData,
  { network }: Pick<Market, 'network'>,
): { digest: Bytes32; signature: Hex } {
  const digest = orderDigest(network, data)
  const { signature, recid } = secp256k1.ecdsaSign(hexToBytes(digest), key)
  return { digest, signature: `${bytesToHex(signature)}${(27 + recid).toString(16)}` as Hex }
}
