import { readAuthorisations } from '../../chain/authorisations.ts'
import type { Chain } from '../../chain/chain.ts'
import { chainLogs, noteOdd, programmaticLogs, tradeLogs } from '../../chain/logs/chain-logs.ts'
import { ownerLogs, tokenLogs } from '../../chain/logs/transfer-logs.ts'
import { poolLogs, readPools } from '../../chain/pool-reader.ts'
import type { NetworkNodes } from '../../chain/rpc/nodes.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { minedHooks } from '../../chain/settlement/hook-calls.ts'
import { minedGas, minedSettlements } from '../../chain/settlement/mined.ts'
import { readRights } from '../../chain/settlement/rights.ts'
import { createSolverList } from '../../chain/settlement/solvers.ts'
import { createSettlementTracer } from '../../chain/settlement/trace.ts'
import type { AccountBalances } from '../../chain/transaction/account-balances.ts'
import { createRefund } from '../../chain/transaction/refund.ts'
import { zeroAddress } from '../../domain/evm/address.ts'
import { type Clock, type Log, unixSeconds } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import type { TradingServices } from '../../graphql/context/networks.ts'
import { createBlockPoll, type IndexerView } from '../../indexer/chain-stream.ts'
import type { HookReading } from '../../indexer/late/hooks.ts'
import type { ProgrammaticReading } from '../../indexer/late/programmatic.ts'
import type { ReadPlacements } from '../../indexer/onchain-orders.ts'
import { recordUsedPools, runPoolIndex } from '../../indexer/pools/pools.ts'
import type { RefunderOptions } from '../../indexer/refunder.ts'
import type { IndexerOptions } from '../../indexer/run.ts'
import type { HoldingsIndexOptions } from '../../indexer/settlement-holdings.ts'
import type { Pools } from '../../market/pools/pools.ts'
import type { LoopMetrics } from '../../server/measures/loop-metrics.ts'
import type { Database } from '../../storage/database/database.ts'
import { createPoolFigures } from '../../tokens/pool-figures.ts'
import { maxFeeOf } from '../auctions.ts'
import type { Settings } from '../settings.ts'

interface IndexingOptions {
  network: Network
  nodes: NetworkNodes
  chain: Chain
  rpc: Rpc
  /** Old logs can overload a node, and the indexer of new blocks waits meanwhile: no immediate retry. */
  rpcWithoutRetries: Rpc
  db: Database
  settings: Settings
  metrics: LoopMetrics
  refunderBalances: AccountBalances
  readPlacements: ReadPlacements | undefined
  describeTokens: IndexerOptions['describeTokens']
  /** The order book is run elsewhere: it has the orders that solvers bring. */
  isFollowing: boolean
  /** Runs after blocks with trades are stored. */
  onTraded?: (() => void) | undefined
  now: Clock
  log: Log
}

/**
 * The pause between two looks at a followed chain while a block is due: fills are here within a second, and
 * the blocks of quick chains come together.
 */
const followedMs = 500

/** The loops of the role `index` on one network. */
interface Indexing {
  indexerOptions: IndexerOptions
  holdingsOptions: Omit<HoldingsIndexOptions, keyof IndexerView>
  hookOptions: Omit<HookReading, keyof IndexerView>
  programmaticOptions: Omit<ProgrammaticReading, keyof IndexerView>
  /** Undefined without an account for it. */
  refunderOptions: RefunderOptions | undefined
}

export function composeIndexing(options: IndexingOptions): Indexing {
  const { network, nodes, chain, rpc, rpcWithoutRetries, db, settings, metrics, now, log } = options
  const { chainId, settlement } = network
  const otherRpcs = nodes.connectEach({ timeoutMs: settings.RPC_TIMEOUT_MS })
  const meter = metrics.indexer(network.name)
  const odd = { log, countOdd: meter.oddLog }
  const blocks = createBlockPoll({ intervalMs: followedMs, blockTimeMs: network.blockTimeMs, now })
  const solverList = createSolverList(rpc, network)
  const tracer = createSettlementTracer({ rpc: rpcWithoutRetries, settlement, now, log })
  const refundKey = settings.REFUND_PRIVATE_KEY
  return {
    indexerOptions: {
      chainId,
      network,
      db,
      now,
      ...(options.isFollowing
        ? {
            // A competition that is stored waits for its settlements.
            completeEveryMs: 2_000,
            isFollowing: true,
            poll: blocks.poll,
            onTraded: options.onTraded,
          }
        : { settlement }),
      ...(options.readPlacements && { readPlacements: options.readPlacements }),
      describeTokens: options.describeTokens,
      leastImprovement: settings.NOTIFICATION_LEAST_IMPROVEMENT,
      log,
      meter,
      allowedAt: solverList.allowedAt,
      chain: {
        head: async () => blocks.seen(await chain.head()),
        block: (number) => chain.block(number),
        logs: (range) =>
          chainLogs({ rpc, otherRpcs, network, solverList: solverList.address, ...odd }, range),
        consistent: nodes.consistent,
        settlements: (logged) => minedSettlements({ rpc, otherRpcs, tracer, network, log }, logged),
        gasOf: (txHashes) => minedGas(rpc, txHashes),
        tradesOf: (owners, range) => tradeLogs({ rpc, network, ...odd }, owners, range),
      },
      tokenLogs: (tokens, range) =>
        tokenLogs({ rpc: rpcWithoutRetries, network, noteOdd: noteOdd(odd) }, tokens, range),
    },
    holdingsOptions: {
      network,
      db,
      log,
      ownerLogs: (range) => ownerLogs(rpcWithoutRetries, settlement, range),
      readRights: (rights, blockHash) =>
        readRights(rpcWithoutRetries, settlement, rights, { now: unixSeconds(now()), blockHash }),
      meter: metrics.holdings(network.name),
    },
    hookOptions: {
      network,
      db,
      now,
      log,
      gasOf: (txHashes) => minedGas(rpc, txHashes),
      minedHooks: (txHash) => minedHooks(rpcWithoutRetries, network, txHash),
    },
    programmaticOptions: {
      network,
      db,
      log,
      chain,
      readAuthorisations: async (keys, blockHash) => {
        const { conditionalOrders } = network
        return conditionalOrders
          ? readAuthorisations(rpcWithoutRetries, conditionalOrders.composableCow, keys, blockHash)
          : []
      },
      programmaticLogs: (range) => programmaticLogs({ rpc: rpcWithoutRetries, network, ...odd }, range),
    },
    refunderOptions: refundKey && {
      network,
      db,
      log,
      refreshBalance: options.refunderBalances.refresh,
      refund: createRefund({
        rpc,
        chainId,
        privateKey: refundKey,
        maxFeePerGas: maxFeeOf(settings),
        log,
        balances: options.refunderBalances,
      }),
    },
  }
}

/** Loops that count the logs of pools, and their figures. */
interface PoolCounts {
  figures: ReturnType<typeof createPoolFigures>
  /** Stores the pools that this process uses. */
  note(signal: AbortSignal): Promise<void>
  /** Counts their logs, in the process that leads the indexer. */
  count(indexer: IndexerView, signal: AbortSignal): Promise<void>
}

interface PoolIndexingOptions {
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

export function composePools(options: PoolIndexingOptions): PoolCounts {
  const { network, chain, pools, rpc, rpcWithoutRetries, loopDb, now, log } = options
  const figures = createPoolFigures(options)
  const max = options.settings.FOLLOWED_POOLS
  if (max === 0 || network.poolFactory === zeroAddress)
    return { figures, note: async () => undefined, count: async () => undefined }
  const { chainId, poolFactory: factory } = network
  const shared = { db: loopDb, max, now, log }
  return {
    figures,
    note: (signal) => recordUsedPools({ ...shared, chainId, takeUsed: pools.takeUsed }, signal),
    count: (indexer, signal) =>
      runPoolIndex(
        {
          ...shared,
          ...indexer,
          network,
          chain,
          poolLogs: (addresses, range) => poolLogs(rpcWithoutRetries, addresses, range),
          readReserves: async (addresses, blockHash) =>
            (await readPools(rpc, { pools: addresses, factory, pairs: [] }, blockHash)).reserves,
          lookAround: (blockHash) => pools.around([], blockHash),
        },
        signal,
      ),
  }
}
