import { setTimeout as pause } from 'node:timers/promises'
import { Gauge, type Registry } from 'prom-client'

/** Registers a gauge whose series, with the label `network` first, are computed when metrics are read. */
export function networkGauge(
  registry: Registry,
  gauge: { name: string; help: string; labelNames: readonly string[] },
  series: () => Iterable<[labels: Record<string, string>, value: number]>,
): void {
  new Gauge({
    ...gauge,
    labelNames: ['network', ...gauge.labelNames],
    registers: [registry],
    collect() {
      this.reset()
      for (const [labels, value] of series()) this.set(labels, value)
    },
  })
}

/** The value; undefined if the promise fails or takes longer. */
export function valueWithin<Value>(
  milliseconds: number,
  promise: Promise<Value> | undefined,
): Promise<Value | undefined> {
  const late = pause(milliseconds, undefined, { ref: false })
  return Promise.race([promise?.catch(() => undefined), late])
}
