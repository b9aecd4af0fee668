import { randomUUID } from 'node:crypto'
import type { SinkKind } from '../../domain/notification/feed-sink.ts'
import type { Signals } from '../../storage/database/signals.ts'
import { type FeedSink, leaseSinks, releaseSinks } from '../../storage/feeds/sinks.ts'
import { createInterruptibleWait } from '../delivery/deliver.ts'
import { runSink, type SinkOptions, type SinkSender } from './sink.ts'

export interface SinksOptions extends SinkOptions {
  signals: Pick<Signals, 'on'>
  /** Kinds that settings enable. */
  kinds: readonly SinkKind[]
  /** True if partners may read the feed. */
  ofPartners: boolean
  /** Stores the sinks of settings before the first lease; tried again while the database is away. */
  prepare?(): Promise<void>
  open(sink: FeedSink): SinkSender
  leaseMs?: number
}

/** Payload of the signal after a change of the sinks. */
export const sinksChanged = 'sinks'

interface Running {
  ended: Promise<void>
  stop(): void
}

/**
 * Sends the feed to the sinks until `signal` aborts, in any number of processes. One process at a time sends
 * to a sink; another takes over when its lease ends.
 */
export async function runSinks(options: SinksOptions, signal: AbortSignal): Promise<void> {
  const { db, signals, kinds, ofPartners, open, log, prepare = async () => {}, leaseMs = 15_000 } = options
  const lease = randomUUID()
  const running = new Map<string, Running>()
  const wake = createInterruptibleWait(signal)
  const unsubscribe = signals.on('deliveries', (payload) => {
    if (payload === undefined || payload === sinksChanged) wake.now()
  })

  function start(sink: FeedSink): Running {
    const stopping = new AbortController()
    const ending = AbortSignal.any([signal, stopping.signal])
    const entries = createInterruptibleWait(ending)
    const off = signals.on('feed', (payload) => {
      // Signals of accounts are of notifications.
      if (!payload) entries.now()
    })
    const sender = open(sink)
    const ended = runSink({ sink, sender, lease }, entries, options, ending)
      .catch((fault: unknown) => log.error('a sink stopped', { sink: sink.name, fault: String(fault) }))
      .then(async () => {
        off()
        if (running.get(sink.id) === own) running.delete(sink.id)
        await sender.close?.().catch((fault: unknown) => {
          log.warn('a sink did not close', { sink: sink.name, fault: String(fault) })
        })
      })
    const own: Running = { ended, stop: () => stopping.abort() }
    return own
  }

  let leasedUntil = 0
  let isPrepared = false
  try {
    while (!signal.aborted) {
      const asked = performance.now()
      try {
        if (!isPrepared) await prepare()
        isPrepared = true
        const leased = await leaseSinks(db, { lease, kinds, ofPartners, ms: leaseMs })
        leasedUntil = asked + leaseMs
        const ids = new Set(leased.map(({ id }) => id))
        for (const [id, { stop }] of running) if (!ids.has(id)) stop()
        for (const sink of leased) if (!running.has(sink.id)) running.set(sink.id, start(sink))
      } catch (fault) {
        log.warn('sinks wait for the database', { fault: String(fault) })
        // Before the lease ends, after which another process may begin.
        if (performance.now() + leaseMs / 3 >= leasedUntil) for (const { stop } of running.values()) stop()
      }
      await wake.wait(leaseMs / 3)
    }
  } finally {
    unsubscribe()
    await Promise.all([...running.values()].map(({ ended }) => ended))
    await releaseSinks(db, lease).catch(() => undefined)
  }
}
