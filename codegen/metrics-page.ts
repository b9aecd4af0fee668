import { zeroAddress } from '../src/domain/evm/address.ts'
import { createMetrics, type Metrics } from '../src/server/metrics.ts'
import { cell, generated, page, table } from './markdown.ts'

interface Metric {
  name: string
  type: string
  help: string
  labels: string[]
  /** The upper bounds of a histogram. */
  buckets: string[]
}

/** Records one measurement of each kind, so that every metric has its labels. */
function measureAll(metrics: Metrics): void {
  const { count, countLimited, countStored, countRemoved, loops, chain, streams, deliveries, sinks, work } =
    metrics
  count('GET', '/health/live', 200, 1)
  countLimited('reads')
  countStored('quotes', 1)
  countRemoved('notifications', 1)
  streams.ended('SHUTTING_DOWN')
  const network = 'sepolia'
  const auctions = loops.auctions(network)
  auctions.began()
  auctions.took('assemble', 1)
  auctions.stand(['in_auction'])
  auctions.answered('built-in', 'ok')
  auctions.settled('success')
  auctions.lost('built-in')
  const indexer = loops.indexer(network)
  indexer.stored({ blocksBehind: 0, blocksPerSecond: 0, secondsLeft: 0, timestamp: 0 })
  indexer.reorganised(1)
  indexer.oddLog('placed')
  const mirror = loops.mirror(network)
  mirror.looked()
  mirror.stored(1)
  mirror.competitions('stored')
  mirror.unknownMembers(1)
  chain.watchNodes(network, () => [{ node: '1', state: 'closed', isUsed: true, blocksBehind: 0 }])
  chain.watchAccounts(network, () => [{ account: zeroAddress, name: 'built-in', balance: 0n }])
  deliveries.count('webhook', 'sent', 1)
  deliveries.watch(async () => [{ kind: 'webhook', count: 0, oldestSeconds: 0 }])
  sinks.count('nats', 'sent', 1)
  sinks.countGap('nats')
  sinks.watch(async () => [{ name: 'nats', entries: 0, seconds: 0 }])
  loops.led('indexer', network, true)
  const node = `the node of ${network}`
  work.measure({ kind: 'statement', name: 'connect', of: 'reads' }, 1, undefined)
  work.measure({ kind: 'statement', name: 'select orders', of: 'reads' }, 1, undefined)
  work.measure({ kind: 'rpc', name: 'eth_call', of: node }, 1, undefined)
  work.measure({ kind: 'source', name: 'ask', of: node }, 1, undefined)
  work.measure({ kind: 'operation', name: 'other', of: 'query order' }, 1, undefined)
  work.watchPools(() => [{ name: 'reads', open: 1, idle: 1, max: 5, waiting: 0 }])
  work.watchSource({ name: node, state: () => 'closed' })
}

/** Returns docs/reference/metrics.md: the registry's content after one measurement of each kind. */
export async function metricsPage(): Promise<string> {
  const metrics = createMetrics(false)
  measureAll(metrics)
  const rows = readMetrics(await metrics.text()).map(({ name, type, help, labels, buckets }) => [
    `\`${name}\``,
    type,
    labels.map((label) => `\`${label}\``).join(', '),
    cell(buckets.length === 0 ? help : `${help} Buckets: ${buckets.join(', ')}.`),
  ])
  return page(
    '# Metrics',
    generated,
    'Each process answers `GET /metrics` in the text format of Prometheus at `METRICS_PORT`; one that serves does at its own port too, if only `METRICS_KEY` is set. The [operations page](../operations.md#metrics) explains both; [alerts](../how-to/alerts.md) are made of them.',
    table(['metric', 'type', 'labels', 'meaning'], rows),
    'A `route` is the pattern of a path, such as `/api/v1/orders/:uid`, and never the path itself. A `limit` is `reads`, `quotes`, `orders` or `introspections`. A `standing` is `in_auction`, or the reason of an order’s standing, such as `insufficient_balance`.',
    'A `pool` is `reads`, `writes`, `streams` or `replica`, with `loop-` before it for what runs by itself. A `statement` is what it does and its first table; an `operation` is the name of a document in `DOCUMENTS_FILE`, or `other`, and a `field` the type of the operation with its root field: clients cannot make new ones.',
    'A process measures the loops that it runs: those of the auctions and of the indexer are there on the one process that leads.',
    'The standard metrics of `prom-client` for a Node process come with them: `process_*` and `nodejs_*`.',
  )
}

function readMetrics(text: string): Metric[] {
  return [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)\n((?:[^#\n].*\n?)*)/gm)].map(
    ([, name = '', help = '', type = '', samples = '']) => {
      const labels = [...samples.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', value = '']) => ({
        label,
        value,
      }))
      const buckets = labels.filter(({ label, value }) => label === 'le' && value !== '+Inf')
      return {
        name,
        type,
        help,
        labels: [...new Set(labels.map(({ label }) => label))].filter((label) => label !== 'le'),
        buckets: buckets.map(({ value }) => value),
      }
    },
  )
}
