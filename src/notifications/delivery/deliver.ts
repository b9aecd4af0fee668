import { randomUUID } from 'node:crypto'
import { Outage } from '../../domain/errors/error.ts'
import type { Clock, Log } from '../../domain/log.ts'
import { type Channel, type ChannelKind, retryDelayMs } from '../../domain/notification/channel.ts'
import { endChannel } from '../../storage/channels/channels.ts'
import {
  beginAttempts,
  type Confirmations,
  type Delivery,
  endAttempts,
  endOverdue,
  type Lease,
  leaseChannels,
  releaseChannel,
} from '../../storage/channels/deliveries.ts'
import type { Database } from '../../storage/database/database.ts'
import type { Signals } from '../../storage/database/signals.ts'
import type { Sender, SendResult } from '../channels/sender.ts'

export interface DeliveryOptions {
  db: Database
  signals: Pick<Signals, 'on'>
  /** Channels of a kind without a sender wait. */
  senders: Partial<Record<ChannelKind, Sender>>
  confirmations: Confirmations
  now: Clock
  /** From 0 to 1. */
  random: () => number
  log: Log
  onSent?: (kind: ChannelKind, outcome: SendResult['kind'] | 'dead', count: number) => void
}

/** Channels that one process sends to at the same time. */
const maxChannels = 64
/** Longer than any attempt: the channel of a process that ended is taken over by then. */
const leaseMs = 60_000
/** How often what became due without a signal is looked for. */
const pollMs = 1_000
/** What a receiver that fails all the time has not taken by then is dead: so its backlog is bounded. A little more than all attempts take. */
const lifetimeSeconds = 26 * 3_600
/** Messages to one channel until others have a turn. */
const maxInTurn = 50

/**
 * Sends what the outbox holds until `signal` aborts. Any number of processes may do so. A channel is sent to by one process at a time, in
 * the order of its deliveries; one that fails is left alone for a while, and delays no other.
 */
export async function runDelivery(options: DeliveryOptions, signal: AbortSignal): Promise<void> {
  const { db, signals, confirmations, now, log } = options
  const kinds = Object.keys(options.senders) as ChannelKind[]
  const active = new Set<Promise<void>>()
  const wake = createWake(signal)
  const unsubscribe = signals.on('deliveries', wake.now)
  const lease = (id: string): Lease => ({ id, now: new Date(now()), until: new Date(now() + leaseMs) })
  try {
    while (!signal.aborted) {
      try {
        const id = randomUUID()
        const free = maxChannels - active.size
        const channels =
          free > 0 ? await leaseChannels(db, lease(id), confirmations, { kinds, limit: free }) : []
        for (const channel of channels) {
          const turn = sendTurn(channel, () => lease(id), options, signal)
            .catch((fault: unknown) =>
              log.error('a channel was not sent to', { channel: channel.id, fault: String(fault) }),
            )
            .finally(() => {
              active.delete(turn)
              wake.now()
            })
          active.add(turn)
        }
        if (channels.length > 0) continue
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

/** Sends to one channel until nothing is due, an attempt fails, or others should have a turn. */
async function sendTurn(
  channel: Channel,
  lease: () => Lease,
  options: DeliveryOptions,
  signal: AbortSignal,
): Promise<void> {
  const { db, senders, confirmations } = options
  const sender = senders[channel.kind]
  for (let turn = 0; sender && turn < maxInTurn && !signal.aborted; turn++) {
    const deliveries = await beginAttempts(db, channel.id, lease(), confirmations, sender.maxDigest)
    if (deliveries.length === 0) break
    const result = await sender.send(channel, deliveries, signal)
    // Nobody knows whether it arrived: it is sent again by whoever goes on.
    if (signal.aborted && result.kind === 'failed') break
    await store(channel, deliveries, result, options)
    if (result.kind !== 'sent') break
  }
  await releaseChannel(db, channel.id, lease())
}

async function store(
  channel: Channel,
  deliveries: readonly Delivery[],
  result: SendResult,
  { db, now, random, log, onSent }: DeliveryOptions,
): Promise<void> {
  const ids = deliveries.map(({ id }) => id)
  const at = new Date(now())
  const { status } = result
  if (result.kind === 'sent') {
    await endAttempts(db, channel.id, ids, { state: 'delivered', status }, at)
    onSent?.(channel.kind, 'sent', ids.length)
    return
  }
  const { fault } = result
  if (result.kind === 'gone') {
    log.info('a channel ends: its receiver wants no more', { channel: channel.id, kind: channel.kind, fault })
    await db.transaction(async (tx) => {
      await endAttempts(tx, channel.id, ids, { state: 'dead', status, fault }, at)
      await endChannel(tx, channel.id, 'gone', at)
    })
    onSent?.(channel.kind, 'gone', ids.length)
    return
  }
  const overdue = await endOverdue(db, channel.id, lifetimeSeconds)
  if (overdue > 0) onSent?.(channel.kind, 'dead', overdue)
  const attempts = Math.max(...deliveries.map(({ attempt }) => attempt))
  const delay = retryDelayMs(attempts, random())
  if (delay === undefined) {
    await endAttempts(db, channel.id, ids, { state: 'dead', status, fault }, at)
    onSent?.(channel.kind, 'dead', ids.length)
    return
  }
  const nextAttemptAt = new Date(now() + Math.max(delay, Math.min(result.retryAfterMs ?? 0, 86_400_000)))
  await endAttempts(db, channel.id, ids, { state: 'waiting', status, fault, nextAttemptAt }, at)
  onSent?.(channel.kind, 'failed', ids.length)
}

/** Waits for a signal or a time. A signal that comes while nobody waits ends the next wait at once. */
function createWake(signal: AbortSignal) {
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
