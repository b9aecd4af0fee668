import { LRUCache } from 'lru-cache'
import type { Clock, Log } from '../domain/log.ts'

/** Logs a complaint; the same one once in so long. */
export type ThrottledWarn = (message: string, fields: Readonly<Record<string, string>>) => void

const onceInMs = 10_000
const maxRemembered = 100

export function createThrottledLog({ now, log }: { now: Clock; log: Log }): ThrottledWarn {
  const logged = new LRUCache<string, true>({
    max: maxRemembered,
    ttl: onceInMs,
    ttlResolution: 0,
    perf: { now },
  })
  return (message, fields) => {
    const entry = [message, ...Object.values(fields)].join()
    if (logged.has(entry)) return
    logged.set(entry, true)
    log.warn(message, fields)
  }
}
