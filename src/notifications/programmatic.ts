import type { NotificationMetadata, Shortage } from '../domain/notification/notification.ts'
import {
  endedText,
  missedPartsText,
  type PartPlace,
  pollText,
  shortPartText,
} from '../domain/notification/programmatic.ts'
import { type Order, type OrderData, type OrderUid, toOrderUid } from '../domain/order/order.ts'
import type { ProgrammaticKey } from '../domain/programmatic/params.ts'
import { decodeInput } from '../domain/programmatic/static-input.ts'
import { type TwapPart, twapPartByEnd, twapSchedule } from '../domain/programmatic/twap.ts'
import { programmaticHashOf } from '../storage/chain/programmatic.ts'
import { findNoticed, findNoticedProgress, type NoticedOrder } from '../storage/chain/programmatic-notices.ts'
import type { Tx } from '../storage/database/database.ts'
import { type NewNotification, recordNotifications } from '../storage/notifications.ts'
import { type Pair, tokensOf } from './token-pairs.ts'

/** A part of a known programmatic order. */
export interface PartOf {
  programmatic: NoticedOrder
  place: PartPlace
  /** True if no part can follow it. */
  isLast: boolean
}

/** Finds the programmatic orders whose parts are among these. Others cost no statement. */
export async function partsOf(
  tx: Tx,
  orders: readonly Order[],
): Promise<(order: Order) => PartOf | undefined> {
  const keys = new Map<bigint, ProgrammaticKey & { chainId: number }>()
  for (const order of orders) {
    const hash = programmaticHashOf(order)
    if (hash) keys.set(order.id, { chainId: order.chainId, owner: order.owner, hash })
  }
  const found = new Map<string, NoticedOrder>()
  const nameOf = ({ chainId, owner, hash }: ProgrammaticKey & { chainId: number }) =>
    `${chainId} ${owner} ${hash}`
  for (const chainId of new Set([...keys.values()].map((key) => key.chainId))) {
    const known = await findNoticed(
      tx,
      chainId,
      [...keys.values()].filter((key) => key.chainId === chainId),
    )
    for (const each of known) found.set(nameOf(each), each)
  }
  return (order) => {
    const key = keys.get(order.id)
    const programmatic = key && found.get(nameOf(key))
    return programmatic && partOf(programmatic, order)
  }
}

function partOf(programmatic: NoticedOrder, { validTo }: Pick<Order, 'validTo'>): PartOf {
  const { chainId, params, context, partCount: count } = programmatic
  const decoded = decodeInput(chainId, params)
  if (decoded.type === 'TWAP' && decoded.input && (decoded.input.t0 !== 0n || context !== null)) {
    const schedule = twapSchedule(decoded.input, context ?? 0n)
    const part = 'fault' in schedule ? undefined : twapPartByEnd(schedule, validTo)
    if (part && 'parts' in schedule)
      return {
        programmatic,
        place: { index: part.index, count: schedule.parts },
        isLast: part.index === schedule.signableParts - 1,
      }
  }
  const isOnly = count === 1
  return { programmatic, place: { index: isOnly ? 0 : null, count }, isLast: isOnly }
}

/** The members that name a programmatic order and the place of a part. */
export function programmaticMetadata(
  { owner, hash }: ProgrammaticKey,
  { index, count }: PartPlace,
): Partial<NotificationMetadata> {
  return {
    programmaticOwner: owner,
    programmaticHash: hash,
    ...(index !== null && { partIndex: index }),
    ...(count !== null && { partCount: count }),
  }
}

/** The UID in notifications of a programmatic order as a whole, which no order has. */
function wholeUid({ owner, hash }: ProgrammaticKey): OrderUid {
  const uid = toOrderUid(`${hash}${owner.slice(2)}00000000`)
  if (!uid) throw new TypeError(`no UID of ${hash}`)
  return uid
}

/** Both tokens of its input; undefined where they are not known. */
function pairOf({ chainId, params }: NoticedOrder): Pair | undefined {
  const { input } = decodeInput(chainId, params)
  if (!input || !('sellToken' in input) || !('buyToken' in input)) return undefined
  return { chainId, sellToken: input.sellToken, buyToken: input.buyToken }
}

/** The end of a programmatic order, by the block that shows it. */
interface ProgrammaticEnd {
  programmatic: NoticedOrder
  blockNumber: number
}

/**
 * Notifies the accounts of programmatic orders that have ended. An authorisation has one notification of each
 * kind: a removal that another block shows after a reorg keeps its cause. Where all parts are filled, a
 * removal changes nothing.
 */
export async function recordProgrammaticEnds(
  tx: Tx,
  how: 'finished' | 'cancelled',
  ends: readonly ProgrammaticEnd[],
  at: Date,
): Promise<void> {
  if (ends.length === 0) return
  const progress = await findNoticedProgress(
    tx,
    ends.map(({ programmatic }) => programmatic.id),
  )
  const tokens = await tokensOf(
    tx,
    ends.flatMap(({ programmatic }) => pairOf(programmatic) ?? []),
  )
  await recordNotifications(
    tx,
    ends.flatMap(({ programmatic, blockNumber }): NewNotification[] => {
      const { id, chainId, account, type, owner, hash, partCount: count } = programmatic
      const done = progress.get(id)
      if (!done || (how === 'cancelled' && count !== null && done.filledParts >= count)) return []
      const pair = pairOf(programmatic)
      const metadata: NotificationMetadata = {
        orderId: wholeUid(programmatic),
        chainId,
        ...programmaticMetadata(programmatic, { index: null, count }),
        filledParts: done.filledParts,
        executedSellAmount: String(done.executedSellAmount),
        executedBuyAmount: String(done.executedBuyAmount),
        ...(how === 'cancelled' && { removedBlock: blockNumber }),
      }
      return [
        {
          account,
          timestamp: at,
          metadata,
          blockNumber,
          type: `programmatic_${how}` as const,
          message: endedText(how, type, count, done, pair ? tokens(pair) : null),
          cause: `${how}:${chainId}:${owner}:${hash}:${done.creations}`,
        },
      ]
    }),
  )
}

/** Parts of a TWAP that ended one after the other without a trade and without an order in the book. */
interface MissedPartsOf {
  programmatic: NoticedOrder
  parts: readonly { part: TwapPart; uid: OrderUid }[]
  blockNumber: number
}

/** Notifies accounts of parts that were never placed: once for all of a programmatic order. */
export async function recordMissedParts(tx: Tx, missed: readonly MissedPartsOf[], at: Date): Promise<void> {
  if (missed.length === 0) return
  const tokens = await tokensOf(
    tx,
    missed.flatMap(({ programmatic }) => pairOf(programmatic) ?? []),
  )
  await recordNotifications(
    tx,
    missed.flatMap(({ programmatic, parts, blockNumber }): NewNotification[] => {
      const [first, last] = [parts[0], parts.at(-1)]
      const pair = pairOf(programmatic)
      if (!first || !last || !pair) return []
      const { chainId, account, partCount: count, polls } = programmatic
      const place = { index: first.part.index, count }
      const { validFrom } = first.part
      const { validTo } = last.part
      const poll = polls.find(
        ({ result, time }) => result !== 'placed' && time >= validFrom && time <= validTo,
      )
      const reason = poll ? pollText(poll.result, poll.reason) : 'It was not polled in its time.'
      const range = { ...place, last: last.part.index, failed: parts.length }
      return [
        {
          account,
          timestamp: at,
          blockNumber,
          type: 'part_failed',
          message: missedPartsText(range, first.part.order, tokens(pair), reason),
          metadata: {
            orderId: first.uid,
            chainId,
            validTo,
            wasPlaced: false,
            failedParts: parts.length,
            reason,
            ...programmaticMetadata(programmatic, place),
          },
          // That of its order, had it been placed.
          cause: `expired:${chainId}:${first.uid}`,
        },
      ]
    }),
  )
}

/** The members of missing funds. */
export function shortageMetadata({ balance, allowance }: Shortage, { sellToken }: Pick<Order, 'sellToken'>) {
  return {
    token: sellToken,
    ...(balance > 0n && { missingBalance: balance.toString() }),
    ...(allowance > 0n && { missingAllowance: allowance.toString() }),
  }
}

/** A part that cannot be placed, since funds are missing. */
export interface ShortPart extends ProgrammaticKey {
  uid: OrderUid
  order: OrderData
  shortage: Shortage
}

/** Notifies the account of a programmatic order that funds are missing for a part: once for each. */
export async function recordShortPart(tx: Tx, chainId: number, short: ShortPart, at: Date): Promise<void> {
  const { order, uid, shortage } = short
  const [programmatic] = await findNoticed(tx, chainId, [short])
  if (!programmatic) return
  const { place } = partOf(programmatic, order)
  const tokens = (await tokensOf(tx, [{ ...order, chainId }]))({ ...order, chainId })
  await recordNotifications(tx, [
    {
      account: programmatic.account,
      timestamp: at,
      type: 'insufficient_balance',
      message: shortPartText(place, shortage, tokens, order.validTo),
      metadata: {
        orderId: uid,
        chainId,
        validTo: order.validTo,
        ...shortageMetadata(shortage, order),
        ...programmaticMetadata(programmatic, place),
      },
      cause: `short:${chainId}:${uid}:part`,
      blockNumber: null,
    },
  ])
}
