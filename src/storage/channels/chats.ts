import { type Database, type Db, sql } from '../database/database.ts'
import { endChannel } from './channels.ts'

const ofChat = (address: string) => ({ kind: 'telegram', address, state: { not: 'ended' } })

/** How many channels lead to a chat. */
export async function channelsOfChat(db: Db, chat: string): Promise<number> {
  return await sql(db).channel.count({ where: ofChat(chat) })
}

/** Ends all channels that lead to a chat, together. @returns how many */
export async function endChat(db: Database, chat: string, now: Date): Promise<number> {
  return await db.transaction(async (tx) => {
    const channels = await sql(tx).channel.findMany({ where: ofChat(chat), select: { id: true } })
    let ended = 0
    for (const { id } of channels) if (await endChannel(tx, id, 'receiver', now)) ended++
    return ended
  })
}
