import { createMetrics } from '../src/server/metrics.ts'
import { cell, generated, page, table } from './markdown.ts'

interface Metric {
  name: string
  type: string
  help: string
  labels: string[]
  /** Upper bounds of a histogram. */
  buckets: string[]
}

/** docs/reference/metrics.md: what the registry holds once each kind was counted. */
export async function metricsPage(): Promise<string> {
  const metrics = createMetrics(false)
  metrics.count('GET', '/health/live', 200, 1)
  metrics.countLimited('reads')
  const rows = readMetrics(await metrics.text()).map(({ name, type, help, labels, buckets }) => [
    `\`${name}\``,
    type,
    labels.map((label) => `\`${label}\``).join(', '),
    cell(buckets.length === 0 ? help : `${help} Buckets in seconds: ${buckets.join(', ')}.`),
  ])
  return page(
    '# Metrics',
    generated,
    'A process that serves answers `GET /metrics` in the text format of Prometheus, if `METRICS_PORT` or `METRICS_KEY` is set. The [operations page](../operations.md#metrics) explains both.',
    table(['metric', 'type', 'labels', 'meaning'], rows),
    'A `route` is the pattern of a path, such as `/api/v1/orders/:uid`, and never the path itself. A `limit` is `reads`, `quotes`, `orders` or `introspections`.',
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
