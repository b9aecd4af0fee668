import type { Authorisation } from '../../chain/authorisations.ts'
import type { Block } from '../../chain/chain.ts'
import { decodeInput } from '../../domain/programmatic/static-input.ts'
import {
  endedParts,
  type TwapPart,
  type TwapSchedule,
  twapParts,
  twapSchedule,
} from '../../domain/programmatic/twap.ts'
import { orderUid, type SigningDomain } from '../../domain/signing/signing.ts'
import { recordMissedParts, recordProgrammaticEnds } from '../../notifications/programmatic.ts'
import { type DueOrder, type Look, readBookedParts } from '../../storage/chain/programmatic.ts'
import { findNoticed } from '../../storage/chain/programmatic-notices.ts'
import { type StoredSchedule, scheduleOf } from '../../storage/chain/programmatic-status.ts'
import type { Tx } from '../../storage/database/database.ts'
import { timeOf } from '../block-range.ts'

/** Parts that are shorter are closed together once this time has passed: one notification for all. */
const closedTogether = 600
/** Parts of one order, and of all, that one round closes. Others follow with the next look. */
const maxClosed = { each: 1_000, all: 5_000 }
/** The age of an end from which on it is not notified. */
const maxAgeMs = 86_400_000

/** A look at an order, with what ended since the last one. */
interface Looked {
  order: DueOrder
  look: Look
  /** The parts of a TWAP whose windows ended. */
  ended: TwapPart[]
  /** True if the time of the whole order passed. */
  hasFinished: boolean
}

/** Blocks until the next look at an order that is authorised, and at one that is not. */
interface Pauses {
  authorised: number
  removed: number
}

/** An order with its authorisations in the contract at a block. */
interface ReadOrder {
  order: DueOrder
  /** Its authorisation as a single order. */
  single: Authorisation | undefined
  /** The entry that all leaves of its owner share. */
  shared: Authorisation | undefined
}

const sdkTreeFault =
  'its Merkle tree hashes orders without the offset of their struct, as an SDK does; the contract accepts no proof of it'

function standingOf(chainId: number, { order, single, shared }: ReadOrder) {
  const { params, standing } = order
  const isSingle = single?.isAuthorised === true
  const byRoot = !isSingle && standing === 'proven'
  const context = (byRoot ? shared : single)?.context ?? 0n
  const schedule = scheduleOf(chainId, params, context)
  if (!isSingle && standing === 'sdk') schedule.fault = sdkTreeFault
  return { order, isAuthorised: isSingle || standing !== null, byRoot, context, schedule }
}

/** Makes looks of what was read at a block. The orders with the fewest ended parts come first. */
export function looksOf(chainId: number, due: readonly ReadOrder[], at: Block, pauses: Pauses): Looked[] {
  const found = due.map((read) => {
    const stands = standingOf(chainId, read)
    const { order, isAuthorised, context, schedule } = stands
    // What ended before it was authorised, or known, is not its own failure.
    const isFollowed = isAuthorised && order.removedBlock === null && schedule.fault === null
    const range = isFollowed ? rangeOf(chainId, order, context, at.timestamp) : undefined
    return { ...stands, isFollowed, range }
  })
  let left = maxClosed.all
  return found
    .toSorted((one, other) => countOf(one.range) - countOf(other.range))
    .map(({ order, isAuthorised, byRoot, context, schedule, isFollowed, range }) => {
      // A removal clears the context, so that the schedule is not known from it.
      const isOver =
        isAuthorised && (schedule.fault !== null || (schedule.endsAt ?? at.timestamp) < at.timestamp)
      const isDue = range && (isOver || range.isDue)
      const ended = isDue
        ? twapParts(range.schedule, range.from, Math.min(countOf(range), maxClosed.each, left))
        : []
      left -= ended.length
      const isClosed = ended.length === countOf(range)
      const closedThrough = isClosed
        ? at.timestamp
        : (ended.at(-1)?.validTo ?? (order.closedThrough ?? 0) - 1) + 1
      const pause = isAuthorised ? pauses.authorised : pauseOfRemoved(order, at, pauses)
      const nextLook = isOver && isClosed ? null : at.number + pause
      const look = { id: order.id, isAuthorised, byRoot, context, ...schedule, nextLook, closedThrough }
      return { order, look, ended, hasFinished: isFollowed && isClosed && endsAfter(schedule, order, at) }
    })
}

/** One without a log can be authorised again without any as well: the pause grows with the time since. */
function pauseOfRemoved(
  { source, removedBlock }: DueOrder,
  at: Block,
  { authorised, removed }: Pauses,
): number {
  if (source !== 'order') return removed
  return Math.min(removed, Math.max(authorised, at.number - (removedBlock ?? at.number)))
}

/** Reports whether the time of an order passed since parts of it were closed. */
function endsAfter({ endsAt }: StoredSchedule, { closedThrough }: DueOrder, at: Block): boolean {
  return endsAt !== null && endsAt < at.timestamp && closedThrough !== null && closedThrough <= endsAt
}

interface EndedRange {
  schedule: TwapSchedule
  from: number
  to: number
  isDue: boolean
}

const countOf = (range: EndedRange | undefined) => (range ? range.to - range.from : 0)

/** The parts of a TWAP that are to be closed; undefined for other orders. */
function rangeOf(
  chainId: number,
  { params, closedThrough }: DueOrder,
  context: bigint,
  now: number,
): EndedRange | undefined {
  const decoded = decodeInput(chainId, params)
  if (closedThrough === null || decoded.type !== 'TWAP' || !decoded.input) return undefined
  const schedule = twapSchedule(decoded.input, context)
  if ('fault' in schedule) return undefined
  const isDue = decoded.input.t >= closedTogether || now - closedThrough >= closedTogether
  return { schedule, from: endedParts(schedule, closedThrough), to: endedParts(schedule, now), isDue }
}

interface LookEndings {
  network: SigningDomain & { blockTimeMs: number }
  at: Block
  /** The newest block that is known. */
  head: number
  notifiedFrom?: number | undefined
}

/**
 * Notifies the accounts of orders that are removed, whose parts ended without a trade or an order in the
 * book, or whose time passed, in the transaction that stores the looks. What an order was found with when it
 * was read for the first time, of old blocks, is not notified.
 */
export async function recordLooks(
  tx: Tx,
  looked: readonly Looked[],
  stored: ReadonlyMap<bigint, 'removed' | 'stored'>,
  { network, at, head, notifiedFrom = 0 }: LookEndings,
): Promise<void> {
  if (at.number < notifiedFrom || (head - at.number) * network.blockTimeMs > maxAgeMs) return
  const isRemoved = ({ order }: Looked) => order.closedThrough !== null && stored.get(order.id) === 'removed'
  const news = looked.filter(
    (each) => stored.has(each.order.id) && (isRemoved(each) || each.ended.length > 0 || each.hasFinished),
  )
  if (news.length === 0) return
  const { chainId } = network
  const noticed = new Map(
    (
      await findNoticed(
        tx,
        chainId,
        news.map(({ order }) => order),
      )
    ).map((order) => [order.id, order]),
  )
  const endsOf = (isEnd: (looked: Looked) => boolean) =>
    news.filter(isEnd).flatMap(({ order }) => {
      const programmatic = noticed.get(order.id)
      return programmatic ? [{ programmatic, blockNumber: at.number }] : []
    })
  const parts = news.flatMap(({ order, ended }) =>
    ended.map((part) => ({ order, part, uid: orderUid(network, part.order, order.owner) })),
  )
  const booked =
    parts.length > 0
      ? await readBookedParts(
          tx,
          parts.map(({ uid }) => uid),
          at.timestamp,
        )
      : []
  const missed = new Map<bigint, typeof parts>()
  for (const [index, each] of parts.entries()) {
    const state = booked[index]
    if (!state || state.isFilled || state.isInvalidated || state.inBook !== null) continue
    const others = missed.get(each.order.id)
    if (others) others.push(each)
    else missed.set(each.order.id, [each])
  }
  const time = timeOf(at)
  await recordProgrammaticEnds(tx, 'cancelled', endsOf(isRemoved), time)
  await recordMissedParts(
    tx,
    [...missed].flatMap(([id, parts]) => {
      const programmatic = noticed.get(id)
      return programmatic ? [{ programmatic, parts, blockNumber: at.number }] : []
    }),
    time,
  )
  await recordProgrammaticEnds(
    tx,
    'finished',
    endsOf(({ hasFinished }) => hasFinished),
    time,
  )
}
