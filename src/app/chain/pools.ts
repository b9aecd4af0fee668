import type { Chain } from '../../chain/chain.ts'
import { poolLogs } from '../../chain/logs/pool-logs.ts'
import { readPools } from '../../chain/pool-reader.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { Clock, Log } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import type { TradingServices } from '../../graphql/context/networks.ts'
import { followPools } from '../../indexer/pools/follow.ts'
import { noteUsed } from '../../indexer/pools/note.ts'
import type { Pools } from '../../market/pools/pools.ts'
import type { Database } from '../../storage/database/database.ts'
import { createPoolFigures } from '../../tokens/pool-figures.ts'
import type { Settings } from '../settings.ts'

/** What counts the logs of pools, and reports their figures. */
export interface PoolCounts {
  figures: ReturnType<typeof createPoolFigures>
  /** Stores which pools this process uses. */
  note(signal: AbortSignal): Promise<void>
  /** Counts their logs, in the process that leads the indexer. */
  count(signal: AbortSignal): Promise<void>
}

export interface PoolOptions {
  network: Network
  chain: Chain
  pools: Pools
  rpc: Rpc
  /** Old logs can overload a node: no immediate retry. */
  rpcWithoutRetries: Rpc
  db: Database
  loopDb: Database
  settings: Pick<Settings, 'FOLLOWED_POOLS'>
  nativeRates: TradingServices['nativeRates']
  now: Clock
  log: Log
}

export function composePools(options: PoolOptions): PoolCounts {
  const { network, chain, pools, rpc, rpcWithoutRetries, loopDb, now, log } = options
  const figures = createPoolFigures(options)
  const most = options.settings.FOLLOWED_POOLS
  if (most === 0) return { figures, note: async () => undefined, count: async () => undefined }
  const { chainId, poolFactory: factory } = network
  const shared = { db: loopDb, most, now, log }
  return {
    figures,
    note: (signal) => noteUsed({ ...shared, chainId, takeUsed: pools.takeUsed }, signal),
    count: (signal) =>
      followPools(
        {
          ...shared,
          ...{ network, chain },
          poolLogs: (addresses, range) => poolLogs(rpcWithoutRetries, addresses, range),
          readReserves: async (addresses, blockHash) =>
            (await readPools(rpc, { pools: addresses, factory, pairs: [] }, blockHash)).reserves,
          lookAround: (blockHash) => pools.around([], blockHash),
        },
        signal,
      ),
  }
}
