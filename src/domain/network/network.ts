import {
  address as addressField,
  derived,
  described,
  from,
  safeInt,
  text,
  token,
  type ValueOf,
} from '../described.ts'
import { type Address, address } from '../evm/address.ts'
import type { Bytes32 } from '../evm/hex.ts'
import { composableCow } from '../programmatic/handlers.ts'

/** The address of the hooks trampoline on most networks. */
export const defaultHooksTrampoline = address('0x60Bf78233f48eC42eE3F101b9a05eC7878728006')

/** A tenth of a native coin, which suits coins of average value. */
export const defaultPriceAmount = 10n ** 17n

/** The name of pools whose factory has none in the network file. */
export const defaultPoolProject = 'uniswap_v2'

export const network = described('Network', 'A chain that the service trades on.', {
  name: text('The network’s segment in REST paths.'),
  chainId: safeInt('The chain id of the signing domain.'),
  settlementContract: from('settlement', addressField('The verifying contract of the signing domain.')),
  vaultRelayer: addressField('The account to which sell tokens must be approved.'),
  poolProject: text('The name of its pools’ factory.'),
  explorerUrl: derived(
    text.orNull(
      'A site for people that shows the chain: /tx/, /address/ and /token/ follow. Null where the deployment names none.',
    ),
    ({ explorer }: { explorer?: string | undefined }) => explorer ?? null,
  ),
  wrappedNative: token('The chain’s coin as a token.'),
})

/** A chain that the service trades on. Networks are data: no other code depends on a chain's name. */
export interface Network extends ValueOf<typeof network> {
  /**
   * The contract that runs the hooks of orders, each with its own gas limit. Only the settlement contract may
   * call it.
   */
  hooksTrampoline: Address
  /**
   * The contract with which a settlement compares on chain the balances of the settlement contract before and
   * after it, if deployed.
   */
  balanceGuard?: Address | undefined
  /** Contracts that own the orders of users who sell the chain's own coin. */
  ethFlows: readonly Address[]
  /** The contracts of programmatic orders; those of the network are not followed if left out. */
  conditionalOrders?: ConditionalOrderContracts | undefined
  /** The factory of Uniswap V2-style pools. */
  poolFactory: Address
  /** The block explorer of the chain; none if left out. */
  explorer?: string | undefined
  /** Tokens that a route may pass through. */
  baseTokens: Address[]
  /**
   * The native atoms for price estimates: small enough not to move a pool, large enough for a precise price.
   */
  priceAmount: bigint
  /** The token that stands for the US dollar in prices from the order book; null if there is none. */
  usdReference: Address | null
  /**
   * Tokens whose holders are indexed from transfers, starting at `fromBlock`, the block of their creation.
   */
  holderTokens: readonly { address: Address; fromBlock: number }[]
  /** The first block that can hold a settlement log. */
  firstBlock: number
  /** The depth from which a block is never reorganised. */
  finalityBlocks: number
  blockTimeMs: number
}

/** The contracts whose logs announce programmatic orders. */
export interface ConditionalOrderContracts {
  /** The contract in which wallets authorise programmatic orders. */
  composableCow: Address
  /** The first block that can hold a log of it. */
  firstBlock: number
  /** The factories of CoWShed, whose proxies act for a user. */
  shedFactories: readonly Address[]
}

/** The factory of CoWShed 1.0. */
export const shedFactory = address('0x312f92fe5f1710408b20d52a374fa29e099cfa86')

/** The factories of CoWShed: 1.0 on every chain, 2.0 on Gnosis Chain, 2.1 with and without orders. */
export const defaultShedFactories: readonly Address[] = [
  shedFactory,
  address('0x4f4350bf2c74aacd508d598a1ba94ef84378793d'),
  address('0x5e284e80f3bd6a7d80a8500d9c49878028110848'),
  address('0xc94f7d71d022e773b0b516841ff867c06f39726b'),
]

/** The contracts of programmatic orders, at the same addresses on every chain. */
export const defaultConditionalOrders = { composableCow, shedFactories: defaultShedFactories }

/** Identifies a chain permanently: the same chain id with a different genesis block is another chain. */
export interface ChainIdentity {
  chainId: number
  genesisHash: Bytes32
}

export const profiles = ['production', 'staging'] as const
export type Profile = (typeof profiles)[number]

export interface SettlementPair {
  settlement: Address
  vaultRelayer: Address
}

/** The contract that places orders that sell the chain's own coin; the same on every chain. */
export const ethFlowOf: Readonly<Record<Profile, Address>> = {
  production: address('0xba3cb449bd2b4adddbc894d8697f5170800eadec'),
  staging: address('0xb37aDD6AC288BD3825a901Cba6ec65A89f31B8CC'),
}

/** The settlement contract and relayer of each profile; the addresses are the same on every chain. */
export const settlementPairs: Readonly<Record<Profile, SettlementPair>> = {
  production: {
    settlement: address('0x9008D19f58AAbD9eD0D60971565AA8510560ab41'),
    vaultRelayer: address('0xC92E8bdf79f0507f65a392b0ab4667716BFE0110'),
  },
  staging: {
    settlement: address('0xf553d092b50bdcbddeD1A99aF2cA29FBE5E2CB13'),
    vaultRelayer: address('0xC7242d167563352E2BCA4d71C043fbe542DB8FB2'),
  },
}
