import type { EncodedWords } from '../evm/abi.ts'
import type { AbiTuple } from '../evm/abi-reader.ts'
import { keccakText } from '../evm/keccak.ts'
import { buyTokenDestinations, type OrderData, orderKinds, sellTokenSources } from '../order/order.ts'
import { orderMembers } from '../signing/signing.ts'

/** The order as the settlement contract's struct: twelve words, in which texts are their hashes. */
export function encodeOrder(order: OrderData): EncodedWords {
  return orderMembers(order)
    .map(({ word }) => word.slice(2))
    .join('')
}

const byHash = <Value extends string>(values: readonly Value[]) =>
  new Map(values.map((value) => [keccakText(value), value]))
const [kinds, sources, destinations] = [
  byHash(orderKinds),
  byHash(sellTokenSources),
  byHash(buyTokenDestinations),
]

/** Reads the twelve words. A receiver of zero stays zero. */
export function readOrder(tuple: AbiTuple): OrderData {
  return {
    sellToken: tuple.address(),
    buyToken: tuple.address(),
    receiver: tuple.address(),
    sellAmount: tuple.uint(),
    buyAmount: tuple.uint(),
    validTo: Number(tuple.uint(32)),
    appData: tuple.bytes32(),
    feeAmount: tuple.uint(),
    kind: tuple.oneOf(kinds),
    partiallyFillable: tuple.flag(),
    sellTokenBalance: tuple.oneOf(sources),
    buyTokenBalance: tuple.oneOf(destinations),
  }
}
