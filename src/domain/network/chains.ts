import { type Address, address, nativeMarker } from '../evm/address.ts'
import type { Token } from '../token/token.ts'

/** Names and constants of a chain. The settings decide whether the service serves it. */
export interface KnownChain {
  /** The path segment, followed by aliases; `-` counts as `_`. */
  names: readonly [string, ...string[]]
  /** The native coin, which has no contract to read metadata from. 18 decimals on every chain. */
  coin: { symbol: string; name: string }
  /** The token that stands for the US dollar. */
  usdReference?: Address
  /** Facts that a row of the network file may leave out. */
  facts?: ChainFacts
  /** The first block with a log of the contract of programmatic orders, if it is known there. */
  conditionalOrdersFrom?: number
  /** True if its tokens have no value. */
  isTest?: boolean
  /** The chain's id at providers of token data, if they support the chain. */
  coingecko?: string
  moralis?: string
  /** The chain's host at Ethplorer. */
  ethplorer?: string
}

/** Facts of a chain with the settlement contract of the profiles. */
interface ChainFacts {
  wrappedNative: Address
  /** The block of the settlement contract. */
  firstBlock: number
  blockTimeMs: number
  finalityBlocks: number
}

const factsOf = (
  wrappedNative: string,
  firstBlock: number,
  blockTimeMs: number,
  finalityBlocks = 64,
): ChainFacts => ({ wrappedNative: address(wrappedNative), firstBlock, blockTimeMs, finalityBlocks })

const ether = { symbol: 'ETH', name: 'Ether' }

/** The only table of chains with aliases, coins and providers' ids. */
export const chains: ReadonlyMap<number, KnownChain> = new Map<number, KnownChain>([
  [
    1,
    {
      names: ['mainnet', 'ethereum', 'eth'],
      coin: ether,
      facts: factsOf('0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2', 12_593_265, 12_000),
      conditionalOrdersFrom: 17_883_049,
      usdReference: address('0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'),
      coingecko: 'ethereum',
      moralis: 'eth',
      ethplorer: 'https://api.ethplorer.io',
    },
  ],
  [
    10,
    {
      names: ['optimism', 'op_mainnet', 'optimistic_ethereum'],
      coin: ether,
      coingecko: 'optimistic-ethereum',
    },
  ],
  [
    56,
    {
      names: ['bnb', 'bsc', 'bnb_chain', 'binance_smart_chain'],
      coin: { symbol: 'BNB', name: 'BNB' },
      facts: factsOf('0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c', 48_173_641, 3_000),
      conditionalOrdersFrom: 48_433_175,
      usdReference: address('0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d'),
      coingecko: 'binance-smart-chain',
      moralis: 'bsc',
      ethplorer: 'https://api.binplorer.com',
    },
  ],
  [
    100,
    {
      names: ['xdai', 'gnosis', 'gnosis_chain'],
      coin: { symbol: 'xDAI', name: 'xDAI' },
      facts: factsOf('0xe91D153E0b41518A2Ce8Dd3D7944Fa863463a97d', 16_465_100, 5_000),
      conditionalOrdersFrom: 29_374_484,
      usdReference: address('0x2a22f9c3b484c3629090feed35f17ff8f88f76f0'),
      coingecko: 'xdai',
      moralis: 'gnosis',
    },
  ],
  [
    137,
    {
      names: ['polygon', 'matic', 'polygon_pos'],
      coin: { symbol: 'POL', name: 'POL' },
      facts: factsOf('0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270', 45_859_743, 2_000, 256),
      conditionalOrdersFrom: 70_406_888,
      usdReference: address('0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'),
      coingecko: 'polygon-pos',
      moralis: 'polygon',
    },
  ],
  [
    8453,
    {
      names: ['base'],
      coin: ether,
      facts: factsOf('0x4200000000000000000000000000000000000006', 21_407_238, 2_000),
      conditionalOrdersFrom: 21_794_150,
      usdReference: address('0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'),
      coingecko: 'base',
      moralis: 'base',
    },
  ],
  [
    9745,
    {
      names: ['plasma'],
      coin: { symbol: 'XPL', name: 'Plasma' },
      facts: factsOf('0x6100E367285b01F48D07953803A2d8dCA5D19873', 3_439_711, 1_000),
      conditionalOrdersFrom: 4_810_535,
      usdReference: address('0xB8CE59FC3717ada4C02eaDF9682A9e934F625ebb'),
      coingecko: 'plasma',
    },
  ],
  [
    42161,
    {
      names: ['arbitrum_one', 'arbitrum'],
      coin: ether,
      facts: factsOf('0x82aF49447D8a07e3bd95BD0d56f35241523fBab1', 204_704_802, 250),
      conditionalOrdersFrom: 204_751_436,
      usdReference: address('0xaf88d065e77c8cC2239327C5EDb3A432268e5831'),
      coingecko: 'arbitrum-one',
      moralis: 'arbitrum',
    },
  ],
  [
    43114,
    {
      names: ['avalanche', 'avax'],
      coin: { symbol: 'AVAX', name: 'Avalanche' },
      facts: factsOf('0xB31f66AA3C1e785363F0875A1B74E27b85FD66c7', 59_891_356, 2_000),
      conditionalOrdersFrom: 60_434_336,
      usdReference: address('0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e'),
      coingecko: 'avalanche',
      moralis: 'avalanche',
    },
  ],
  [
    57073,
    {
      names: ['ink'],
      coin: ether,
      facts: factsOf('0x4200000000000000000000000000000000000006', 34_436_849, 1_000),
      conditionalOrdersFrom: 34_878_187,
      usdReference: address('0x2D270e6886d130D724215A266106e6832161EAEd'),
      coingecko: 'ink',
    },
  ],
  [
    59144,
    {
      names: ['linea'],
      coin: ether,
      facts: factsOf('0xe5d7c2a44ffddf6b295a15c148167daaaf5cf34f', 24_333_100, 2_000),
      conditionalOrdersFrom: 25_028_474,
      usdReference: address('0x176211869cA2b568f2A7D4EE941E073a821EE1ff'),
      coingecko: 'linea',
      moralis: 'linea',
      ethplorer: 'https://api.lineaplorer.build',
    },
  ],
  [
    11155111,
    {
      names: ['sepolia'],
      coin: ether,
      isTest: true,
      facts: factsOf('0xfFf9976782d46CC05630D1f6eBAb18b2324d6B14', 4_717_488, 12_000),
      conditionalOrdersFrom: 5_072_748,
      usdReference: address('0xbe72E441BF55620febc26715db68d3494213D8Cb'),
      moralis: 'sepolia',
      ethplorer: 'https://sepolia-api.ethplorer.io',
    },
  ],
])

const chainIds: ReadonlyMap<string, number> = new Map(
  [...chains].flatMap(([chainId, { names }]) => names.map((name) => [name, chainId] as const)),
)

/** The chain id for a name or for a chain id in digits. Accepts any letter case; `-` counts as `_`. */
export function chainIdOfName(name: string): number | undefined {
  if (/^[1-9][0-9]{0,15}$/.test(name)) return Number(name)
  return chainIds.get(name.toLowerCase().replaceAll('-', '_'))
}

/** Reports whether the name is the network's, or a name of its chain. */
export function goesBy(network: { name: string; chainId: number }, name: string): boolean {
  return name === network.name || chainIdOfName(name) === network.chainId
}

/** Chain ids of local development nodes. */
const localChains = [1337, 31_337]

/** Reports whether tokens of the chain have no value: a public test network, or a local chain. */
export const isTestChain = (chainId: number): boolean =>
  chains.get(chainId)?.isTest ?? localChains.includes(chainId)

/** The native coin as a token. It has no contract; on every chain it has the decimals of its wrapped form. */
export function nativeCoin(chainId: number): Token {
  const { symbol = null, name = null } = chains.get(chainId)?.coin ?? {}
  return { chainId, address: nativeMarker, symbol, name, decimals: 18 }
}
