import { setTimeout as pause } from 'node:timers/promises'
import type { Clock, Log } from '../../domain/log.ts'
import { type Channel, type ChannelKind, retryDelayMs } from '../../domain/notification/channel.ts'
import { endChannel } from '../../storage/channels/channels.ts'
import {
  type Begun,
  beginAttempts,
  type Delivery,
  endAttempts,
  endOverdue,
} from '../../storage/channels/deliveries.ts'
import {
  type Confirmations,
  countMessage,
  type Lane,
  type Lease,
  messageAllowance,
  type NextLook,
  releaseChannel,
} from '../../storage/channels/queue.ts'
import type { Database } from '../../storage/database/database.ts'
import type { Sender, SendResult } from '../channels/sender.ts'

/** Turns of one kind at the same time, to receivers that were quick lately. */
const maxQuick = 64
/** Turns at the same time to slow receivers. */
const maxSlow = 64
/** All turns, including those that left a quick place to wait. An attempt is little but a connection. */
const maxTurns = 512

/** A turn's place in its kind. */
interface DeliverySlot {
  /** Passes the quick place on while its receiver has not answered. */
  yield(): void
  leave(): void
}

/** Places for turns of this process. Kinds have their own, and slow receivers take none from quick ones. */
export function createDeliverySlots(kinds: readonly ChannelKind[]) {
  const taken = new Map(kinds.map((kind) => [kind, { quick: 0, slow: 0, waited: 0 }]))
  const lanes = (): Lane[] =>
    [...taken].flatMap(([kind, { quick, slow, waited }]) => [
      { kind, isSlow: false, places: Math.min(maxQuick - quick, maxTurns - quick - slow - waited) },
      { kind, isSlow: true, places: Math.min(maxSlow - slow, maxTurns - maxQuick - slow - waited) },
    ])
  return {
    free: () => lanes().filter(({ places }) => places > 0),
    /** True if a lane has no place left. */
    isFull: () => lanes().some(({ places }) => places <= 0),
    take(kind: ChannelKind, isSlow: boolean): DeliverySlot {
      const counts = taken.get(kind)
      if (!counts) throw new RangeError(`no places for ${kind}`)
      let lane: keyof typeof counts = isSlow ? 'slow' : 'quick'
      counts[lane]++
      return {
        yield() {
          if (lane !== 'quick') return
          counts[lane]--
          lane = 'waited'
          counts[lane]++
        },
        leave() {
          counts[lane]--
        },
      }
    },
  }
}

/** `failed` is tried again; `gone` and `dead` are not. */
type DeliveryOutcome = SendResult['kind'] | 'dead'

export interface TurnOptions {
  db: Database
  confirmations: Confirmations
  now: Clock
  /** Number from 0 to 1. */
  random: () => number
  log: Log
  onSent?: (kind: ChannelKind, outcome: DeliveryOutcome, count: number) => void
}

/** Time after which a receiver's place goes to another while its answer is awaited. */
const yieldMs = 250
/** Time after which a receiver is slow. */
const slowMs = 2_000
/**
 * Messages to one channel until others have a turn, and how long they may take. A lease is longer than this,
 * a wait and an attempt.
 */
const maxInTurn = 50
const turnMs = 2_000
/** Longest wait for a receiver’s turn: for a later one the lease goes back until then. */
const maxWaitMs = 2_000
/** Time after which an attempt counts as failed whatever its result: longer than any sender allows. */
const attemptMs = 50_000
/** Interval of looks at deliveries that wait for blocks. */
export const depthMs = 5_000
/**
 * Age at which undelivered messages of a constantly failing receiver are dead, which bounds its backlog: a
 * little more than all attempts take.
 */
const lifetimeSeconds = 26 * 3_600
const maxRetryMs = 86_400_000

/**
 * Sends to one channel until no delivery is due, an attempt fails, or it is the turn of others.
 * @returns whether it is due another turn at once
 */
export async function sendTurn(
  {
    channel,
    sender,
    leaseId,
    place,
  }: { channel: Channel; sender: Sender; leaseId: string; place: DeliverySlot },
  options: TurnOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const { db, now, log } = options
  const lease = (): Pick<Lease, 'id' | 'now'> => ({ id: leaseId, now: new Date(now()) })
  const started = performance.now()
  let isSlow = false
  let next: NextLook = 'now'
  for (let sent = 0; sent < maxInTurn && performance.now() - started < turnMs && !signal.aborted; sent++) {
    const until = await waitForTurn(channel, sender, place, options, signal)
    if (until) {
      next = until
      break
    }
    if (signal.aborted) break
    const begun = await begin(channel, sender, lease(), options)
    if (begun instanceof Date) {
      next = begun
      break
    }
    const { deliveries, rest } = begun
    if (deliveries.length > 0) {
      const sending = performance.now()
      const timer = setTimeout(place.yield, yieldMs)
      const result = await withinTime(sender.send(channel, deliveries, signal))
        .catch((fault: unknown): SendResult => {
          log.error('a channel cannot be sent to', { channel: channel.id, fault: String(fault) })
          return { kind: 'failed', status: null, fault: 'a fault of this service' }
        })
        .finally(() => clearTimeout(timer))
      isSlow ||= performance.now() - sending > slowMs
      // It is unknown whether it arrived: the process that goes on sends it again.
      if (signal.aborted && result.kind === 'failed') break
      const retryAt = await store(channel, deliveries, result, options)
      if (result.kind === 'gone') return false
      if (retryAt) {
        next = retryAt
        break
      }
    }
    if (rest === 'lost') break
    if (rest !== 'due') {
      next = rest === 'waits' ? new Date(now() + depthMs) : 'when written'
      break
    }
  }
  return await releaseChannel(db, channel.id, lease(), { next, isSlow })
}

/** Waits for the receiver’s turn. @returns its time, if that is too late to wait */
async function waitForTurn(
  channel: Channel,
  sender: Sender,
  place: DeliverySlot,
  { now }: TurnOptions,
  signal: AbortSignal,
): Promise<Date | undefined> {
  const { isTaken, waitMs } = sender.takeTurn?.(channel, maxWaitMs) ?? { isTaken: true, waitMs: 0 }
  if (!isTaken) return new Date(now() + waitMs)
  if (waitMs > yieldMs) place.yield()
  if (waitMs > 0) await pause(waitMs, undefined, { signal }).catch(() => undefined)
  return undefined
}

/** The result of an attempt that ends while the lease holds. */
async function withinTime(sending: Promise<SendResult>): Promise<SendResult> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<SendResult>((resolve) => {
    timer = setTimeout(resolve, attemptMs, { kind: 'failed', status: null, fault: 'no answer in time' })
  })
  try {
    return await Promise.race([sending, late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Begins the deliveries of the next message.
 * @returns the end of the channel's wait, if its minute is full
 */
async function begin(
  { id }: Channel,
  { maxDigest, maxAlone }: Sender,
  lease: Pick<Lease, 'id' | 'now'>,
  { db, confirmations }: TurnOptions,
): Promise<Begun | Date> {
  if (maxAlone === undefined) return beginAttempts(db, id, lease, confirmations, maxDigest)
  const turn = await messageAllowance(db, id, { alone: maxAlone, together: maxDigest, now: lease.now })
  if ('until' in turn) return turn.until
  const begun = await beginAttempts(db, id, lease, confirmations, turn.limit)
  const { length } = begun.deliveries
  if (length > 0) await countMessage(db, id, turn.minute, length, maxAlone)
  return begun
}

/** @returns when the channel is tried again, after a failure */
async function store(
  channel: Channel,
  deliveries: readonly Delivery[],
  result: SendResult,
  { db, now, random, log, onSent }: TurnOptions,
): Promise<Date | undefined> {
  const ids = deliveries.map(({ id }) => id)
  const at = new Date(now())
  const { status } = result
  if (result.kind === 'sent') {
    await endAttempts(db, ids, { state: 'delivered', status }, at)
    onSent?.(channel.kind, 'sent', ids.length)
    return undefined
  }
  const { fault } = result
  if (result.kind === 'gone') {
    log.info('a channel ends: its receiver wants no more', { channel: channel.id, kind: channel.kind, fault })
    await db.transaction(async (tx) => {
      await endAttempts(tx, ids, { state: 'dead', status, fault }, at)
      await endChannel(tx, channel.id, 'gone', at)
    })
    onSent?.(channel.kind, 'gone', ids.length)
    return undefined
  }
  onSent?.(channel.kind, 'failed', ids.length)
  const attempts = Math.max(...deliveries.map(({ attempt }) => attempt))
  const delay = retryDelayMs(attempts, random())
  const state = delay === undefined ? 'dead' : 'waiting'
  await endAttempts(db, ids, { state, status, fault }, at)
  const overdue = await endOverdue(db, channel.id, lifetimeSeconds)
  const dead = overdue + (delay === undefined ? ids.length : 0)
  if (dead > 0) onSent?.(channel.kind, 'dead', dead)
  return delay === undefined
    ? undefined
    : new Date(at.getTime() + Math.max(delay, Math.min(result.retryAfterMs ?? 0, maxRetryMs)))
}
