import { type Address, address } from '../evm/address.ts'
import type { Bytes32 } from '../evm/hex.ts'

/** Where the hooks trampoline stands on all networks but a few. */
export const defaultHooksTrampoline = address('0x60Bf78233f48eC42eE3F101b9a05eC7878728006')

/** The tenth of a coin: what prices are asked for where the coin is worth neither very much nor very little. */
export const defaultPriceAmount = 10n ** 17n

/** One chain that the service trades on. A network is a row of data: nothing else in the program knows a chain by name. */
export interface Network {
  chainId: number
  /** The path segment of the order book routes, such as `sepolia`. */
  name: string
  settlement: Address
  vaultRelayer: Address
  /** Runs the hooks of orders, each within its own gas, for the settlement contract alone. */
  hooksTrampoline: Address
  /** ERC-20 form of the chain's own coin, such as WETH. */
  wrappedNative: Address
  /** Factory of Uniswap V2-style pools. */
  poolFactory: Address
  /** Tokens that a route may pass through. */
  baseTokens: Address[]
  /** Native atoms that token prices are asked for: small enough not to move a pool, large enough to be a price. */
  priceAmount: bigint
  /** The token that stands for the US dollar, for prices by our own; null where there is none. */
  usdReference: Address | null
  /** Tokens whose holders are told from their transfers, which are followed from a block on: that of their creation. */
  holderTokens: readonly { address: Address; fromBlock: number }[]
  /** First block that can hold a settlement log. */
  firstBlock: number
  /** A block this deep is never reorganised. */
  finalityBlocks: number
  blockTimeMs: number
}

/** What a chain is known by for ever; a different genesis under a known chain id is another chain. */
export interface ChainIdentity {
  chainId: number
  genesisHash: Bytes32
}
