import { Redis } from 'ioredis'
import type { Clock, Log } from '../../domain/log.ts'
import { OutsideFault } from '../fault.ts'
import { createHealth } from '../health.ts'

/** A connection that answers soon or not at all: callers do not wait for an unavailable server. */
export interface RedisConnection {
  /** Runs a command. @throws OutsideFault */
  ask<T>(command: (redis: Redis) => Promise<T>): Promise<T>
  /**
   * Subscribes over a connection of its own, which is opened again after a loss: messages sent meanwhile are
   * lost.
   */
  listen(channel: string, onMessage: (text: string) => void): void
  /** Resolves after the first attempt to connect. @throws if it failed */
  connected(): Promise<void>
  close(): void
}

const name = 'Redis'
const commandTimeoutMs = 250
const limits = {
  failures: 3,
  pauseMs: { min: 500, max: 10_000 },
  backOffMs: { min: 500, max: 10_000 },
  atOnce: 256,
}

/** Opens a connection. @param url redis:// or rediss:// */
export function openRedis({ url, now, log }: { url: string; now: Clock; log: Log }): RedisConnection {
  const health = createHealth({ name, limits, now, log })
  const open = () => {
    const redis = new Redis(url, {
      lazyConnect: true,
      enableOfflineQueue: false,
      connectTimeout: 1_000,
      commandTimeout: commandTimeoutMs,
      maxRetriesPerRequest: 0,
      retryStrategy: (attempt) => Math.min(5_000, 100 * 2 ** Math.min(attempt, 6)),
    })
    // The commands report failures.
    return redis.on('error', () => {})
  }
  const redis = open()
  const listening: Redis[] = []
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
    listen(channel, onMessage) {
      const listener = open()
      listening.push(listener)
      listener.on('message', (_channel, text) => onMessage(text))
      // A subscription that fails is tried again with the next connection.
      listener.on('ready', () => void listener.subscribe(channel).catch(() => listener.disconnect(true)))
      listener.connect().catch(() => {})
    },
    close() {
      for (const each of [redis, ...listening]) each.disconnect()
    },
  }
}
