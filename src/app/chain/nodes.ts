import { createNode, createNodes, type NetworkNodes } from '../../chain/rpc/nodes.ts'
import type { PrivateEndpoint } from '../../chain/transaction/broadcast.ts'
import type { Clock, Log } from '../../domain/log.ts'
import type { ChainMetrics } from '../../server/measures/chain-metrics.ts'
import type { NetworkConfig } from '../config.ts'
import type { Settings } from '../settings.ts'

interface NodesOptions {
  config: NetworkConfig
  settings: Settings
  metrics: ChainMetrics
  now: Clock
  log: Log
}

/** The nodes of one network, and its private endpoint if it has one. */
export function composeNodes({ config, settings, metrics, now, log }: NodesOptions): {
  nodes: NetworkNodes
  privateEndpoint: PrivateEndpoint | undefined
} {
  const { network, rpcUrl, privateRpc } = config
  const nodes = createNodes({
    urls: typeof rpcUrl === 'string' ? [rpcUrl] : rpcUrl,
    network: network.name,
    blockTimeMs: network.blockTimeMs,
    maxLagBlocks: settings.RPC_MAX_LAG_BLOCKS,
    now,
    log,
  })
  if (!privateRpc) {
    metrics.watchNodes(network.name, nodes.reports)
    return { nodes, privateEndpoint: undefined }
  }
  const { url, ...rules } = privateRpc
  const node = createNode({ url, name: `the private endpoint of ${network.name}`, now, log })
  // It only has to accept transactions, so its chain is not checked.
  node.accept()
  metrics.watchNodes(network.name, () => [
    ...nodes.reports(),
    { node: 'private', state: node.state(), isUsed: true, blocksBehind: undefined },
  ])
  // A retry of one that arrived would be refused as a duplicate.
  const rpc = node.connect({ timeoutMs: settings.RPC_TIMEOUT_MS, retries: 0 })
  return { nodes, privateEndpoint: { ...rules, rpc } }
}
