import { LRUCache } from 'lru-cache'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { readHead } from '../../chain/transaction/fees.ts'
import { Outage } from '../../domain/errors/error.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { Clock, Log } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import type { Pool } from '../../domain/routing/pool.ts'
import { type BlockPools, createBlockPools } from './block-pools.ts'
import { follow } from './follow.ts'
import { createChainHead } from './head.ts'
import { createPairsAround, type Pair, type TokenPair } from './pairs.ts'
import { createPoolRegistry } from './registry.ts'
import { createView } from './view.ts'

/**
 * Liquidity of Uniswap V2-style pools. Around pairs are the pools that routes of three swaps between them can
 * use: of the pair itself, of its tokens with base tokens of the network, and between those. Empty pools are
 * left out.
 */
export interface Pools {
  /**
   * The newest block. Answered from memory once pools are known and while the head was checked a moment ago.
   * @throws Outage
   */
  look(pairs: readonly TokenPair[]): Promise<MarketView>
  /** Exactly this block. @throws Outage, also when the node has no such block (any more) */
  around(pairs: readonly TokenPair[], blockHash: Bytes32): Promise<readonly Pool[]>
  /** Reads new blocks before they are asked for, until `signal` aborts. Never throws. */
  follow(signal: AbortSignal): Promise<void>
}

/** The market as it stood in one block. */
export interface MarketView {
  block: number
  /** Wei for one unit of gas, as a transaction sent now would pay it. */
  gasPrice: bigint
  pools: readonly Pool[]
}

export interface PoolsOptions {
  rpc: Rpc
  network: Network
  now: Clock
  log: Log
}

/**
 * Pools that are read anew in every block, while they are in use; and as many pairs that had none, which are
 * looked up again in time.
 */
const maxFollowed = 5_000
/** So long before it would have to be asked for, the follower asks whether there is a pool now. */
const aheadMs = 30_000
const followedForMs = 600_000
const idleAfterMs = 60_000

export function createPools({ rpc, network, now, log }: PoolsOptions): Pools {
  const pairsAround = createPairsAround([...new Set([network.wrappedNative, ...network.baseTokens])])
  const source = { rpc, factory: network.poolFactory, registry: createPoolRegistry(now) }
  const remembered = () =>
    new LRUCache<string, Pair>({
      max: maxFollowed,
      ttl: followedForMs,
      ttlResolution: 0,
      perf: { now },
    })
  const inUse = { placed: remembered(), absent: remembered() }
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
          for (const pair of placed) inUse.placed.set(pair.key, pair)
          for (const pair of absent) inUse.absent.set(pair.key, pair)
        },
      }),
  })
  let askedAt = Number.NEGATIVE_INFINITY
  let named: BlockPools | undefined

  /**
   * A block that somebody names: shared with looks when it is the one they see, else the last named one is
   * kept.
   */
  function poolsOf(blockHash: Bytes32): BlockPools {
    const seen = head.atHand().find(({ pools }) => pools.blockHash === blockHash)
    if (seen) return seen.pools
    if (named?.blockHash !== blockHash) named = createBlockPools(source, blockHash)
    return named
  }

  async function look(pairs: readonly TokenPair[]): Promise<MarketView> {
    askedAt = now()
    const view = await head.view()
    const { block, gasPrice } = view
    try {
      return { block, gasPrice, pools: await view.around(pairs) }
    } catch (fault) {
      if (!(fault instanceof Outage)) throw fault
      // The block may just have left the chain.
      const again = await head.check(view)
      if (again === view) throw fault
      return { block: again.block, gasPrice: again.gasPrice, pools: await again.around(pairs) }
    }
  }

  return {
    look,
    around: async (pairs, blockHash) => (await poolsOf(blockHash).find(pairsAround(pairs))).pools,
    follow: (signal) =>
      follow(
        {
          advance: () =>
            head.advance((view) =>
              view.pools.find([...inUse.placed.values(), ...inUse.absent.values()], aheadMs),
            ),
          isIdle: () => now() - askedAt >= idleAfterMs,
          pollMs,
          log,
        },
        signal,
      ),
  }
}
