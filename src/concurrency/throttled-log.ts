import { createLruCache } from '../domain/derived.ts'
import type { Clock, Log } from '../domain/log.ts'

/** Logs a warning. A warning with the same message and fields is logged only once in an interval. */
export type ThrottledWarn = (message: string, fields: Readonly<Record<string, string>>) => void

const intervalMs = 10_000
const maxEntries = 100

export function createThrottledLog({ now, log }: { now: Clock; log: Log }): ThrottledWarn {
  const recent = createLruCache<string, true>({
    max: maxEntries,
    ttl: intervalMs,
    ttlResolution: 0,
    perf: { now },
  })
  return (message, fields) => {
    const key = [message, ...Object.values(fields)].join()
    if (recent.has(key)) return
    recent.set(key, true)
    log.warn(message, fields)
  }
}
