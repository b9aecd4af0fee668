import { chains } from '../../src/domain/network/chains.ts'
import { ethFlowOf, settlementPairs } from '../../src/domain/network/network.ts'

/** A network as it is followed: the rate and the size of its chain and of its order book. */
export interface Followed {
  chainId: number
  blockTimeMs: number
  /** Its part of the orders and fills of the busiest network. */
  share: number
  /** Transactions of a block, whose hashes a header has. */
  transactions: number
  /** The part of the bits of its bloom filters that other contracts set. */
  bloom: number
}

/** The busiest first. */
export const networks: readonly Followed[] = [
  { chainId: 1, blockTimeMs: 12_000, share: 1, transactions: 200, bloom: 0.7 },
  { chainId: 8453, blockTimeMs: 2_000, share: 0.3, transactions: 180, bloom: 0.6 },
  { chainId: 42161, blockTimeMs: 250, share: 0.3, transactions: 8, bloom: 0.15 },
  { chainId: 56, blockTimeMs: 750, share: 0.3, transactions: 120, bloom: 0.6 },
  { chainId: 100, blockTimeMs: 5_000, share: 0.2, transactions: 40, bloom: 0.3 },
  { chainId: 137, blockTimeMs: 2_000, share: 0.1, transactions: 100, bloom: 0.5 },
  { chainId: 43114, blockTimeMs: 2_000, share: 0.1, transactions: 30, bloom: 0.3 },
  { chainId: 11155111, blockTimeMs: 12_000, share: 0.1, transactions: 150, bloom: 0.6 },
  { chainId: 59144, blockTimeMs: 2_000, share: 0.1, transactions: 20, bloom: 0.2 },
  { chainId: 9745, blockTimeMs: 1_000, share: 0.05, transactions: 10, bloom: 0.1 },
  { chainId: 57073, blockTimeMs: 1_000, share: 0.05, transactions: 15, bloom: 0.1 },
  { chainId: 10, blockTimeMs: 2_000, share: 0.05, transactions: 60, bloom: 0.4 },
]

export const { settlement, vaultRelayer } = settlementPairs.production
export const ethFlow = ethFlowOf.production

/** The row of a network in the settings. */
export function rowOf({ chainId, blockTimeMs }: Followed, baseUrl: string, callsPerMinute: number) {
  const { facts, names, conditionalOrdersFrom } = chains.get(chainId) ?? {}
  return {
    chainId,
    blockTimeMs,
    name: names?.[0],
    ...(facts ? {} : { wrappedNative: `0x42${'0'.repeat(37)}6`, firstBlock: firstBlockOf(chainId) }),
    ...(facts ? {} : { finalityBlocks: 64 }),
    ...(conditionalOrdersFrom === undefined && { conditionalOrders: { firstBlock: firstBlockOf(chainId) } }),
    rpcUrl: `${baseUrl}/${chainId}/rpc`,
    orderBook: { url: `${baseUrl}/${chainId}`, callsPerMinute },
  }
}

/** The first block of programmatic orders: the scripted chain begins a little later. */
export function firstBlockOf(chainId: number): number {
  return chains.get(chainId)?.conditionalOrdersFrom ?? 1_000_000
}

/**
 * The orders of one auction of Ethereum in July 2024: 2,200, of 935 pairs and 553 tokens, from 666 owners.
 * The part of the sides that each of the first tokens had; the others have a rest that falls with their
 * place.
 */
export const auction = {
  tokens: 553,
  firstTokens: [0.171, 0.1, 0.097, 0.066, 0.037, 0.016, 0.012, 0.011, 0.01, 0.01, 0.009, 0.009, 0.009, 0.008],
  owners: 666,
  /** The most orders of one owner; half of the owners have one. */
  maxOfOwner: 46,
  buyOrders: 0.047,
  /** The orders with a presignature, which the source does not show. */
  presigned: 0.05,
  /** Amounts in dollars and prices of tokens, each at its part of all. */
  dollars: [
    [0, 1],
    [0.01, 21],
    [0.05, 61],
    [0.1, 133],
    [0.25, 490],
    [0.5, 2_062],
    [0.75, 11_053],
    [0.9, 37_820],
    [0.95, 74_563],
    [0.99, 494_482],
    [1, 9_930_808],
  ],
  prices: [
    [0, 4.54e-11],
    [0.1, 2.79e-6],
    [0.25, 0.00164],
    [0.5, 0.119],
    [0.75, 1.37],
    [0.9, 35.6],
    [1, 90_100],
  ],
  /** Days until the end of orders. */
  days: [
    [0, 0.003],
    [0.014, 0.02],
    [0.07, 1],
    [0.355, 30],
    [1, 365],
  ],
} as const

type Quantiles = readonly (readonly [part: number, value: number])[]

/** Returns the value at a part of all, on a line between the logarithms of two known ones. */
export function quantile(known: Quantiles, part: number): number {
  const above = Math.max(
    1,
    known.findIndex(([at]) => at >= part),
  )
  const [[from, low], [to, high]] = [known[above - 1] ?? [0, 1], known[above] ?? [1, 1]]
  return low * (high / low) ** ((part - from) / (to - from))
}
