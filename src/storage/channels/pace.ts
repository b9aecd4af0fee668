import { type Db, sql } from '../database/database.ts'

const minuteMs = 60_000

/** What a channel may be sent now: a message of at most `limit` deliveries, or none until then. */
export type Turn = { limit: number; minute: Minute } | { until: Date }

/** A minute that began with a message, and how many it holds. */
interface Minute {
  beganAt: Date
  messages: number
}

/**
 * Where a minute may hold `alone` messages of one delivery: more than these wait for its end and go together, and are all that the next
 * minute holds. To be asked while the channel is leased.
 */
export async function turnOf(
  db: Db,
  channelId: string,
  { alone, together, now }: { alone: number; together: number; now: Date },
): Promise<Turn> {
  const channel = await sql(db).channel.findUniqueOrThrow({
    where: { id: channelId },
    select: { minuteBeganAt: true, minuteMessages: true },
  })
  const waiting = await sql(db).delivery.findMany({
    where: { channelId, state: 'waiting' },
    orderBy: { id: 'asc' },
    select: { batch: true },
    take: alone + 1,
  })
  const isMany = (free: number) => waiting.length > free || waiting[0]?.batch != null
  const began = channel.minuteBeganAt?.getTime() ?? Number.NEGATIVE_INFINITY
  const wasFull = channel.minuteMessages >= alone
  if (now.getTime() < began + minuteMs) {
    if (wasFull) return { until: new Date(began + minuteMs) }
    const { minuteMessages: messages } = channel
    const limit = isMany(alone - messages) ? together : 1
    return { limit, minute: { beganAt: new Date(began), messages } }
  }
  return { limit: wasFull || isMany(alone) ? together : 1, minute: { beganAt: now, messages: 0 } }
}

/** Counts a message of so many deliveries. */
export async function countMessage(
  db: Db,
  channelId: string,
  { beganAt, messages }: Minute,
  deliveries: number,
  alone: number,
): Promise<void> {
  const minuteMessages = deliveries > 1 ? alone : messages + 1
  await sql(db).channel.updateMany({
    where: { id: channelId },
    data: { minuteBeganAt: beganAt, minuteMessages },
  })
}
