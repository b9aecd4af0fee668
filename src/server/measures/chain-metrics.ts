import type { Registry } from 'prom-client'
import type { NodeReport } from '../../chain/rpc/nodes.ts'
import type { Address } from '../../domain/evm/address.ts'
import { networkGauge } from './network-gauge.ts'

/** An account that pays for gas, and its last read balance in wei. */
interface AccountReport {
  account: Address
  /** The solver's name, or `refunder`. */
  name: string
  balance: bigint
}

/** Metrics of one process's nodes and sending accounts. */
export interface ChainMetrics {
  /** @param reports is called when metrics are read */
  watchNodes(network: string, reports: () => readonly NodeReport[]): void
  watchAccounts(network: string, reports: () => readonly AccountReport[]): void
}

type Watched<Report> = [network: string, reports: () => readonly Report[]][]

export function createChainMetrics(registry: Registry): ChainMetrics {
  const nodes: Watched<NodeReport> = []
  const accounts: Watched<AccountReport> = []
  const gauge = <Report>(
    watched: Watched<Report>,
    name: string,
    help: string,
    labelNames: string[],
    sample: (report: Report) => [labels: Record<string, string>, value: number | undefined],
  ) =>
    networkGauge(registry, { name, help, labelNames }, function* () {
      for (const [network, reports] of watched)
        for (const [labels, value] of reports().map(sample))
          if (value !== undefined) yield [{ network, ...labels }, value]
    })
  gauge(
    nodes,
    'tradegraph_node_breaker',
    'State of the breaker of a network’s node, with the value 1: closed (requests pass), open, trial, throttled, or unchecked before its chain is known.',
    ['node', 'state'],
    ({ node, state }) => [{ node, state }, 1],
  )
  gauge(
    nodes,
    'tradegraph_node_used',
    '1 for the node of a network that is in use, else 0. The private endpoint is used in addition.',
    ['node'],
    ({ node, isUsed }) => [{ node }, isUsed ? 1 : 0],
  )
  gauge(
    nodes,
    'tradegraph_node_blocks_behind',
    'Blocks by which a node lags behind the best of its network. Absent with one node, or while it does not answer.',
    ['node'],
    ({ node, blocksBehind }) => [{ node }, blocksBehind],
  )
  gauge(
    accounts,
    'tradegraph_account_balance',
    'Native balance of an account that sends transactions, in whole coins.',
    ['account', 'name'],
    ({ account, name, balance }) => [{ account, name }, Number(balance) / 1e18],
  )
  return {
    watchNodes: (network, reports) => void nodes.push([network, reports]),
    watchAccounts: (network, reports) => void accounts.push([network, reports]),
  }
}
