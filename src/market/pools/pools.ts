import type { Rpc } from '../../chain/rpc/rpc.ts'
import { readHead } from '../../chain/transaction/fees.ts'
import { createLruCache } from '../../domain/derived.ts'
import { Outage } from '../../domain/errors/error.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { Clock, Log } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import type { Pool, PoolIdentity } from '../../domain/routing/pool.ts'
import { type BlockPools, createBlockPools, createPoolRegistry, createUsedPools } from './block-pools.ts'
import { createChainHead, createView, pollPools } from './head.ts'
import { createPairsAround, type Pair, type TokenPair } from './pairs.ts'

/**
 * The liquidity of Uniswap V2-style pools. For each pair it has the pools that routes of up to three swaps
 * can use: pools of the pair itself, of its tokens with base tokens of the network, and of base tokens with
 * each other. Empty pools are left out.
 */
export interface Pools {
  /**
   * Reads pools at the newest block; from memory if they were read and the head was checked a moment ago.
   * @throws Outage
   */
  look(pairs: readonly TokenPair[]): Promise<MarketView>
  /** Reads like `look`, without counting as use, for the program's own requests. @throws Outage */
  peek(pairs: readonly TokenPair[]): Promise<MarketView>
  /**
   * Reads pools at exactly this block.
   * @throws Outage, also if the node does not have the block (any more)
   */
  around(pairs: readonly TokenPair[], blockHash: Bytes32): Promise<readonly Pool[]>
  /**
   * Notes the newest block.
   * @returns a function that asks the node whether there is a newer one; it throws an Outage
   */
  mark(): () => Promise<boolean>
  /**
   * Reads the pools in use again in each new block, before a request needs them, until `signal` aborts. Never
   * throws.
   */
  follow(signal: AbortSignal): Promise<void>
  /** Returns the pools that were read since the last call; a pool is repeated at most once an hour. */
  takeUsed(): PoolIdentity[]
}

/** The market at one block. */
export interface MarketView {
  block: number
  /** The price in wei of one unit of gas in a transaction sent now. */
  gasPrice: bigint
  pools: readonly Pool[]
}

interface PoolsOptions {
  rpc: Rpc
  network: Network
  now: Clock
  log: Log
}

/**
 * The maximum number of pools that are read in every block while they are in use, and of pairs without a pool
 * that are looked up again.
 */
const maxFollowed = 5_000
/** The time before an absent pair expires from the registry at which the follower looks it up again. */
const aheadMs = 30_000
const followedForMs = 600_000
const idleAfterMs = 60_000

export function createPools({ rpc, network, now, log }: PoolsOptions): Pools {
  const pairsAround = createPairsAround([...new Set([network.wrappedNative, ...network.baseTokens])])
  const used = createUsedPools(now)
  const source = { rpc, factory: network.poolFactory, registry: createPoolRegistry(now), used }
  const createPairCache = () =>
    createLruCache<string, Pair>({
      max: maxFollowed,
      ttl: followedForMs,
      ttlResolution: 0,
      perf: { now },
    })
  const pairsInUse = { placed: createPairCache(), absent: createPairCache() }
  const pollMs = Math.min(1_000, Math.max(100, network.blockTimeMs / 4))
  const head = createChainHead({
    now,
    staleMs: Math.max(1_000, 3 * pollMs),
    readHead: () => readHead(rpc),
    createView: (head) =>
      createView({
        head,
        now,
        pools: createBlockPools(source, head.hash),
        pairsAround,
        onUse: ({ placed, absent }) => {
          for (const pair of placed) pairsInUse.placed.set(pair.key, pair)
          for (const pair of absent) pairsInUse.absent.set(pair.key, pair)
        },
      }),
  })
  let lastUsedAt = Number.NEGATIVE_INFINITY
  let lastRequested: BlockPools | undefined

  /**
   * The pools of a given block: those of a current view if it has this block, otherwise a separate set. The
   * last set is kept.
   */
  function poolsOf(blockHash: Bytes32): BlockPools {
    const view = head.views().find(({ pools }) => pools.blockHash === blockHash)
    if (view) return view.pools
    if (lastRequested?.blockHash !== blockHash) lastRequested = createBlockPools(source, blockHash)
    return lastRequested
  }

  async function peek(pairs: readonly TokenPair[]): Promise<MarketView> {
    const view = await head.view()
    const { block, gasPrice } = view
    try {
      return { block, gasPrice, pools: await view.around(pairs) }
    } catch (fault) {
      if (!(fault instanceof Outage)) throw fault
      // A reorg may have removed the block.
      const checkedView = await head.check(view)
      if (checkedView === view) throw fault
      return {
        block: checkedView.block,
        gasPrice: checkedView.gasPrice,
        pools: await checkedView.around(pairs),
      }
    }
  }

  return {
    look(pairs) {
      lastUsedAt = now()
      return peek(pairs)
    },
    peek,
    takeUsed: used.take,
    around: async (pairs, blockHash) => (await poolsOf(blockHash).find(pairsAround(pairs))).pools,
    mark() {
      const noted = head.view()
      noted.catch(() => {})
      return async () => (await head.check()) !== (await noted)
    },
    follow: (signal) =>
      pollPools(
        {
          advance: () =>
            head.advance((view) =>
              view.pools.find([...pairsInUse.placed.values(), ...pairsInUse.absent.values()], aheadMs),
            ),
          isIdle: () => now() - lastUsedAt >= idleAfterMs,
          pollMs,
          log,
        },
        signal,
      ),
  }
}
