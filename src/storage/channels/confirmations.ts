import type { Address } from '../../domain/evm/address.ts'
import type { ChannelKind } from '../../domain/notification/channel.ts'
import { bytea } from '../database/columns.ts'
import { type Db, sql, type Tx } from '../database/database.ts'

/** A token that is to be sent. `receiver`: a hash of whom it reaches. */
export interface Confirmation {
  kind: ChannelKind
  receiver: Uint8Array
  account: Address
}

/** Tokens that may be sent in a day. */
export interface ConfirmationLimits {
  /** To one receiver, for any accounts. */
  receiver: number
  account: number
}

/**
 * Counts a token before it is sent, unless a limit is reached. One after the other for a receiver and for an account.
 * @returns which limit is reached, and when there is room again
 */
export async function countConfirmation(
  tx: Tx,
  { kind, receiver, account }: Confirmation,
  limits: ConfirmationLimits,
  now: Date,
): Promise<{ reached: keyof ConfirmationLimits; until: Date } | undefined> {
  const row = { kind, receiver: Uint8Array.from(receiver), account: Uint8Array.from(bytea(account)) }
  const locks = [Buffer.from(receiver).toString('hex'), account].map((of) => `confirmations:${kind}:${of}`)
  for (const lock of locks.toSorted())
    await sql(tx).$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${lock}, 0))`
  const dayMs = 86_400_000
  const since = new Date(now.getTime() - dayMs)
  for (const of of ['receiver', 'account'] as const) {
    const sent = await sql(tx).channelConfirmation.findMany({
      where: { kind, [of]: row[of], sentAt: { gt: since } },
      orderBy: { sentAt: 'desc' },
      take: limits[of],
      select: { sentAt: true },
    })
    const first = sent.at(-1)
    if (first && sent.length >= limits[of])
      return { reached: of, until: new Date(first.sentAt.getTime() + dayMs) }
  }
  await sql(tx).channelConfirmation.create({ data: { ...row, sentAt: now } })
  return undefined
}

/** Of a receiver that wants them, tokens for this account count no longer; those of the account do. */
export async function freeReceiver(db: Db, { kind, receiver, account }: Confirmation): Promise<void> {
  await sql(db).channelConfirmation.updateMany({
    where: { kind, receiver: Uint8Array.from(receiver), account: Uint8Array.from(bytea(account)) },
    data: { receiver: new Uint8Array() },
  })
}
