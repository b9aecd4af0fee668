import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { RpcError } from '../../chain/rpc/rpc.ts'
import { Refusal } from '../../domain/errors/error.ts'
import { Throttled } from '../../outside/fault.ts'
import { measureWork, onSourceAnnounced, type Source, type Work } from '../../outside/telemetry/work.ts'
import type { PoolReport } from '../../storage/database/connections/pool.ts'

/** Metrics of the work of the database, nodes and outside sources. */
export interface WorkMetrics {
  /** Begins to measure. @returns a function that ends it */
  follow(): () => void
  /** @param reports is called when metrics are read */
  watchPools(reports: () => readonly PoolReport[]): void
  measure(work: Work, milliseconds: number, fault: unknown): void
  watchSource(source: Source): void
}

const databaseBuckets = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10]
const callBuckets = [0.01, 0.05, 0.2, 1, 5, 20]

/** Cached by work and outcome, because the library sorts the labels on each call. */
type Took = (milliseconds: number) => void

export function createWorkMetrics(registry: Registry): WorkMetrics {
  const seriesOf = createSeries(registry)
  const cached = new Map<string, Took>()
  const sources: Source[] = []
  const pools: (() => readonly PoolReport[])[] = []
  registerPools(registry, pools)
  registerBreakers(registry, sources)

  function measure(work: Work, milliseconds: number, fault: unknown): void {
    const outcome = outcomeOf(fault)
    const key = `${work.kind} ${outcome} ${work.of} ${work.name}`
    let took = cached.get(key)
    if (!took) {
      took = seriesOf(work, outcome)
      cached.set(key, took)
    }
    took(milliseconds)
  }
  const watchSource = (source: Source) => void sources.push(source)
  return {
    measure,
    watchSource,
    watchPools: (reports) => void pools.push(reports),
    follow() {
      const ends = [measureWork(measure), onSourceAnnounced(watchSource)]
      return () => {
        for (const end of ends) end()
      }
    },
  }
}

/** `refused`: the peer does not support it. */
function outcomeOf(fault: unknown): string {
  if (fault === undefined) return 'ok'
  if (fault instanceof RpcError || fault instanceof Refusal) return 'refused'
  if (fault instanceof Throttled) return 'throttled'
  return 'failed'
}

function createSeries(registry: Registry): (work: Work, outcome: string) => Took {
  const registers = [registry]
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers })
  const histogram = <Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    buckets: number[],
  ) => new Histogram({ name, help, labelNames, buckets, registers })

  const waits = histogram(
    'tradegraph_database_wait_seconds',
    'Wait for a connection of the database, by pool.',
    ['pool'],
    databaseBuckets,
  )
  const statements = counter(
    'tradegraph_statements_total',
    'Statements by verb and first table, such as select orders.',
    ['statement', 'outcome'],
  )
  const statementSeconds = counter('tradegraph_statement_seconds_total', 'Total time of these statements.', [
    'statement',
  ])
  const statementTimes = histogram(
    'tradegraph_statement_duration_seconds',
    'Time of one statement, by pool.',
    ['pool'],
    databaseBuckets,
  )
  const rpc = counter(
    'tradegraph_rpc_requests_total',
    'Attempts of JSON-RPC requests to a node: ok, refused (the node answered with an error), throttled, failed.',
    ['node', 'method', 'outcome'],
  )
  const rpcTimes = histogram(
    'tradegraph_rpc_duration_seconds',
    'Time of one attempt.',
    ['node', 'method'],
    callBuckets,
  )
  const asked = counter(
    'tradegraph_source_requests_total',
    'Requests to outside sources, nodes included: ok, refused (by a valid answer), throttled, failed. Requests that a breaker stops do not count.',
    ['source', 'outcome'],
  )
  const askedTimes = histogram(
    'tradegraph_source_duration_seconds',
    'Time of one request.',
    ['source'],
    callBuckets,
  )
  const operations = counter(
    'tradegraph_graphql_operations_total',
    'GraphQL operations without streams, by name (of a document of the deployment, or other) and by root field: ok, or failed with errors.',
    ['operation', 'field', 'outcome'],
  )
  const operationTimes = histogram(
    'tradegraph_graphql_operation_duration_seconds',
    'Time of one operation.',
    ['operation', 'field'],
    databaseBuckets,
  )

  const both = (count: { inc(): void }, times: { observe(seconds: number): void }): Took => {
    return (milliseconds) => {
      count.inc()
      times.observe(milliseconds / 1_000)
    }
  }
  return ({ kind, name, of }, outcome) => {
    switch (kind) {
      case 'statement': {
        if (name === 'connect') {
          const wait = waits.labels({ pool: of })
          return (milliseconds) => wait.observe(milliseconds / 1_000)
        }
        const count = both(
          statements.labels({ statement: name, outcome }),
          statementTimes.labels({ pool: of }),
        )
        const seconds = statementSeconds.labels({ statement: name })
        return (milliseconds) => {
          count(milliseconds)
          seconds.inc(milliseconds / 1_000)
        }
      }
      case 'rpc':
        return both(
          rpc.labels({ node: of, method: name, outcome }),
          rpcTimes.labels({ node: of, method: name }),
        )
      case 'source':
        return both(asked.labels({ source: of, outcome }), askedTimes.labels({ source: of }))
      case 'operation': {
        const labels = { operation: name, field: of }
        const result = outcome === 'ok' ? 'ok' : 'failed'
        return both(operations.labels({ ...labels, outcome: result }), operationTimes.labels(labels))
      }
      case 'call':
        // Counted as a source, where it has a breaker.
        return () => {}
    }
  }
}

function registerPools(registry: Registry, pools: readonly (() => readonly PoolReport[])[]): void {
  const gauge = (
    name: string,
    help: string,
    sample: (report: PoolReport) => [labels: Record<string, string>, value: number][],
    labelNames: string[] = [],
  ) =>
    new Gauge({
      name,
      help,
      labelNames: ['pool', ...labelNames],
      registers: [registry],
      collect() {
        this.reset()
        for (const { name: pool, ...report } of pools.flatMap((reports) => reports()))
          for (const [labels, value] of sample({ name: pool, ...report }))
            this.set({ pool, ...labels }, value)
      },
    })
  gauge(
    'tradegraph_database_connections',
    'Connections of the database by pool and state: busy or idle.',
    ({ open, idle }) => [
      [{ state: 'busy' }, open - idle],
      [{ state: 'idle' }, idle],
    ],
    ['state'],
  )
  gauge('tradegraph_database_connections_most', 'Limit of a pool’s connections.', ({ max }) => [[{}, max]])
  gauge(
    'tradegraph_database_waiting',
    'Statements and transactions that wait for a connection now.',
    ({ waiting }) => [[{}, waiting]],
  )
}

function registerBreakers(registry: Registry, sources: readonly Source[]): void {
  new Gauge({
    name: 'tradegraph_source_breaker',
    help: 'Breakers of an outside source by state: closed (requests pass), open, trial, throttled. A source has one for each use.',
    labelNames: ['source', 'state'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { name: source, state } of sources) this.inc({ source, state: state() })
    },
  })
}
