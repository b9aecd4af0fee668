import { type Address, address } from '../evm/address.ts'
import type { Bytes32 } from '../evm/hex.ts'

/** Address of the hooks trampoline on most networks. */
export const defaultHooksTrampoline = address('0x60Bf78233f48eC42eE3F101b9a05eC7878728006')

/** A tenth of a native coin: suits coins whose value is neither very high nor very low. */
export const defaultPriceAmount = 10n ** 17n

/** The name of pools whose factory has none in the network file. */
export const defaultPoolProject = 'uniswap_v2'

/** A chain that the service trades on. Networks are data: no other code depends on a chain's name. */
export interface Network {
  chainId: number
  /** The path segment of the order book routes, such as `sepolia`. */
  name: string
  settlement: Address
  vaultRelayer: Address
  /** Runs the hooks of orders, each with its own gas limit; only the settlement contract may call it. */
  hooksTrampoline: Address
  /** Lets a settlement compare on chain what the settlement contract has before and after it, if it is deployed. */
  balanceGuard?: Address | undefined
  /** Contracts that own the orders of users who sell the chain's own coin. */
  ethFlows: readonly Address[]
  /** ERC-20 form of the chain's own coin, such as WETH. */
  wrappedNative: Address
  /** Factory of Uniswap V2-style pools. */
  poolFactory: Address
  /** Whose factory it is: the name of its pools for clients. */
  poolProject: string
  /** A site for people that shows the chain, whose paths are `/tx/`, `/address/` and `/token/`; none if left out. */
  explorer?: string | undefined
  /** Tokens that a route may pass through. */
  baseTokens: Address[]
  /** Native atoms for price estimates: small enough not to move a pool, large enough for a precise price. */
  priceAmount: bigint
  /** The token that stands for the US dollar in prices from the order book; null if there is none. */
  usdReference: Address | null
  /** Tokens whose holders are indexed from transfers, starting at `fromBlock`, the block of their creation. */
  holderTokens: readonly { address: Address; fromBlock: number }[]
  /** First block that can hold a settlement log. */
  firstBlock: number
  /** A block this deep is never reorganised. */
  finalityBlocks: number
  blockTimeMs: number
}

/** Identifies a chain permanently: the same chain id with a different genesis block is another chain. */
export interface ChainIdentity {
  chainId: number
  genesisHash: Bytes32
}
