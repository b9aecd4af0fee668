import { Redis } from 'ioredis'
import type { Clock, Log } from '../../domain/log.ts'
import { OutsideFault } from '../fault.ts'
import { createHealth } from '../health.ts'

/** A connection that answers soon or not at all: callers do not wait for an unavailable server. */
export interface RedisConnection {
  /** Runs a command. @throws OutsideFault */
  ask<T>(command: (redis: Redis) => Promise<T>): Promise<T>
  /** Resolves after the first attempt to connect. @throws if it failed */
  connected(): Promise<void>
  close(): void
}

const name = 'Redis'
const commandTimeoutMs = 250
const limits = {
  failures: 3,
  pauseMs: { least: 500, most: 10_000 },
  backOffMs: { least: 500, most: 10_000 },
  atOnce: 256,
}

/** Opens a connection. @param url redis:// or rediss:// */
export function openRedis({ url, now, log }: { url: string; now: Clock; log: Log }): RedisConnection {
  const health = createHealth({ name, limits, now, log })
  const redis = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    connectTimeout: 1_000,
    commandTimeout: commandTimeoutMs,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(5_000, 100 * 2 ** Math.min(attempt, 6)),
  })
  // The commands report failures.
  redis.on('error', () => {})
  const connecting = redis.connect()
  connecting.catch(() => {})
  return {
    connected: () => connecting,
    ask: (command) =>
      health.ask(() =>
        command(redis).catch((fault: Error) => {
          throw new OutsideFault(name, /timed out/.test(fault.message) ? 'did not answer in time' : 'failed')
        }),
      ),
    close: () => redis.disconnect(),
  }
}
