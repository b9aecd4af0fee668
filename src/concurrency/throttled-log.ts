import { LRUCache } from 'lru-cache'
import type { Clock, Log } from '../domain/log.ts'

/** Logs a complaint; the same one once in so long. */
export type Complain = (message: string, fields: Readonly<Record<string, string>>) => void

const onceInMs = 10_000
const mostRemembered = 100

export function createComplaints({ now, log }: { now: Clock; log: Log }): Complain {
  const told = new LRUCache<string, true>({
    max: mostRemembered,
    ttl: onceInMs,
    ttlResolution: 0,
    perf: { now },
  })
  return (message, fields) => {
    const complaint = [message, ...Object.values(fields)].join()
    if (told.has(complaint)) return
    told.set(complaint, true)
    log.warn(message, fields)
  }
}
