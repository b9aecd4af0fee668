import { randomUUID } from 'node:crypto'
import { Outage } from '../../domain/errors/error.ts'
import type { ChannelKind } from '../../domain/notification/channel.ts'
import { leaseChannels, wakeChannels } from '../../storage/channels/queue.ts'
import type { Signals } from '../../storage/database/signals.ts'
import type { Sender } from '../channels/sender.ts'
import { createDeliverySlots, depthMs, sendTurn, type TurnOptions } from './turn.ts'

/** Waits for a signal or a time. A signal that comes without a waiter ends the next wait at once. */
export function createInterruptibleWait(signal: AbortSignal) {
  let isDue = false
  let resolve: (() => void) | undefined
  const now = () => {
    isDue = true
    resolve?.()
  }
  signal.addEventListener('abort', now, { once: true })
  return {
    now,
    async wait(ms: number): Promise<void> {
      if (!isDue) {
        await new Promise<void>((done) => {
          const timer = setTimeout(done, ms)
          resolve = () => {
            clearTimeout(timer)
            done()
          }
        })
      }
      resolve = undefined
      isDue = false
    },
  }
}

export interface DeliveryOptions extends TurnOptions {
  signals: Pick<Signals, 'on'>
  /** Senders by kind; channels of other kinds wait. */
  senders: Partial<Record<ChannelKind, Sender>>
}

/** Longer than a turn, its last wait and attempt: then others take over the channels of an ended process. */
const leaseMs = 60_000
/** Interval of looks for due deliveries without a signal. */
const pollMs = 1_000
/** Limit of written marks in one statement. */
const maxWakes = 2_000

/**
 * Sends from the outbox until `signal` aborts, in any number of processes. One process at a time sends to a
 * channel, in the order of its deliveries; a channel that fails pauses and delays no other.
 */
export async function runDelivery(options: DeliveryOptions, signal: AbortSignal): Promise<void> {
  const { db, signals, senders, confirmations, now, log } = options
  const places = createDeliverySlots(Object.keys(senders) as ChannelKind[])
  const active = new Set<Promise<void>>()
  const wake = createInterruptibleWait(signal)
  const unsubscribe = signals.on('deliveries', wake.now)
  /** True if more may be due than there were places for. */
  let isCrowded = false

  async function leaseTurns(): Promise<void> {
    const id = randomUUID()
    const at = now()
    const lanes = places.free()
    const lease = { id, now: new Date(at), until: new Date(at + leaseMs) }
    const leased =
      lanes.length === 0
        ? []
        : await leaseChannels(db, lease, confirmations, { lanes, later: new Date(at + depthMs) })
    for (const { channel, isSlow } of leased) {
      const sender = senders[channel.kind]
      if (!sender) continue
      const place = places.take(channel.kind, isSlow)
      const yielding = {
        ...place,
        yield() {
          place.yield()
          if (isCrowded) wake.now()
        },
      }
      const turn = sendTurn({ channel, sender, leaseId: id, place: yielding }, options, signal)
        .catch((fault: unknown) => {
          log.error('a channel was not sent to', { channel: channel.id, fault: String(fault) })
          return false
        })
        .then((isDue) => {
          active.delete(turn)
          place.leave()
          if (isDue || isCrowded) wake.now()
        })
      active.add(turn)
    }
    isCrowded = places.isFull()
  }

  try {
    while (!signal.aborted) {
      try {
        while ((await wakeChannels(db, new Date(now()), maxWakes)) === maxWakes);
        await leaseTurns()
      } catch (fault) {
        if (!(fault instanceof Outage)) throw fault
        log.warn('deliveries wait for the database', { fault: fault.message })
      }
      await wake.wait(pollMs)
    }
  } finally {
    unsubscribe()
    await Promise.all(active)
  }
}
