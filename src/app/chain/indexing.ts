import type { Chain } from '../../chain/chain.ts'
import { chainLogs, noteOdd } from '../../chain/logs/chain-logs.ts'
import { tokenLogs } from '../../chain/logs/transfer-logs.ts'
import type { NetworkNodes } from '../../chain/rpc/nodes.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { minedGas, minedSettlements } from '../../chain/settlement/mined.ts'
import type { Clock, Log } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import type { IndexerMeter } from '../../indexer/meter.ts'
import type { IndexerOptions } from '../../indexer/run.ts'
import type { OrderServices } from '../../orders/check.ts'
import { readPlacements } from '../../orders/place-on-chain.ts'
import { solversAmong } from '../../storage/auction/reverted.ts'
import type { Database } from '../../storage/database/database.ts'
import type { NameTokens } from '../../tokens/naming.ts'
import type { Settings } from '../settings.ts'

interface IndexingOptions {
  network: Network
  chain: Chain
  nodes: NetworkNodes
  rpc: Rpc
  /** Old logs can overload a node, and the indexer of new blocks waits meanwhile: no immediate retry. */
  rpcWithoutRetries: Rpc
  loopDb: Database
  nameTokens: NameTokens
  orderServices: OrderServices
  settings: Pick<Settings, 'NOTIFICATION_LEAST_IMPROVEMENT' | 'RPC_TIMEOUT_MS'>
  meter: IndexerMeter
  now: Clock
  log: Log
}

/** The indexer of one network. */
export function composeIndexing(options: IndexingOptions): IndexerOptions {
  const { network, chain, nodes, rpc, rpcWithoutRetries, loopDb, settings, meter, now, log } = options
  const otherRpcs = nodes.connectEach({ timeoutMs: settings.RPC_TIMEOUT_MS })
  const odd = { log, countOdd: meter.oddLog }
  return {
    chainId: network.chainId,
    network,
    db: loopDb,
    now,
    settlement: network.settlement,
    readPlacements: (placements) => {
      options.nameTokens(placements.flatMap(({ order }) => [order.sellToken, order.buyToken]))
      return readPlacements(placements, options.orderServices)
    },
    leastImprovement: settings.NOTIFICATION_LEAST_IMPROVEMENT,
    log,
    meter,
    chain: {
      head: () => chain.head(),
      block: (number) => chain.block(number),
      logs: (range) => chainLogs({ rpc, network, ...odd }, range),
      consistent: nodes.consistent,
      settlements: (logged) =>
        minedSettlements(
          {
            ...{ rpc, otherRpcs, traceRpc: rpcWithoutRetries, network, log },
            solversAmong: (senders, block) => solversAmong(loopDb, network, senders, block),
          },
          logged,
        ),
      gasOf: (txHashes) => minedGas(rpc, txHashes),
    },
    tokenLogs: (tokens, range) =>
      tokenLogs({ rpc: rpcWithoutRetries, network, noteOdd: noteOdd(odd) }, tokens, range),
  }
}
