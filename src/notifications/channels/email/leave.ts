import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../../domain/log.ts'
import type { Channel, EmailKeys } from '../../../domain/notification/channel.ts'
import { endChannel, findChannelById } from '../../../storage/channels/channels.ts'
import type { Database } from '../../../storage/database/database.ts'

export function newEmailKeys(): EmailKeys {
  return { leave: randomBytes(18).toString('base64url') }
}

/** In links: it suffices to end the channel, without a session. */
export function leaveToken({ id, keys }: Pick<Channel, 'id' | 'keys'>): string {
  return `${id}.${(keys as EmailKeys).leave}`
}

/** Ends the channel of this token, for its receiver. @returns whether it has ended, also before; false for an unknown token */
export async function leaveChannel(
  token: string,
  { db, now }: { db: Database; now: Clock },
): Promise<boolean> {
  const [, id] = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.[\w-]{24}$/.exec(token) ?? []
  const channel = id === undefined ? undefined : await findChannelById(db, id)
  if (!channel) return false
  if (channel.state === 'ended') return true
  const [expected, given] = [Buffer.from(leaveToken(channel)), Buffer.from(token)]
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false
  await db.transaction((tx) => endChannel(tx, channel.id, 'receiver', new Date(now())))
  return true
}
