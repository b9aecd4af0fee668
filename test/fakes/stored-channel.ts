import { randomUUID } from 'node:crypto'
import type { Address } from '../../src/domain/evm/address.ts'
import type { Channel, DeliveryState } from '../../src/domain/notification/channel.ts'
import { findChannelById } from '../../src/storage/channels/channels.ts'
import { bytea } from '../../src/storage/database/columns.ts'
import { type Db, sql } from '../../src/storage/database/database.ts'
import type { Prisma } from '../../src/storage/generated/client.ts'
import { numbered } from './order.ts'

/** A confirmed webhook, unless told otherwise. */
export async function storeChannel(
  db: Db,
  {
    account = numbered('01'),
    ...more
  }: { account?: Address } & Partial<Omit<Prisma.ChannelCreateInput, 'account'>> = {},
): Promise<Channel> {
  const id = randomUUID()
  const createdAt = new Date(1_800_000_000_000)
  await sql(db).channel.create({
    data: {
      id,
      account: Uint8Array.from(bytea(account)),
      kind: 'webhook',
      state: 'active',
      address: `https://receiver.example/${id}`,
      createdAt,
      ...more,
    },
  })
  const channel = await findChannelById(db, id)
  if (!channel) throw new Error('the channel is not there')
  return channel
}

export interface DeliverySketch {
  state?: DeliveryState
  attempts?: number
  batch?: bigint | null
  /** Of a notification about it; a test event without it. `null`: of no block. */
  blockNumber?: bigint | null
  createdAt?: Date
}

/** In this order. @returns their ids */
export async function storeDeliveries(
  db: Db,
  { id: channelId, kind }: Channel,
  sketches: readonly DeliverySketch[],
): Promise<bigint[]> {
  const ids: bigint[] = []
  for (const { blockNumber, ...more } of sketches) {
    const notification = blockNumber !== undefined && {
      notificationId: (await storeNotification(db, blockNumber)).id,
    }
    const { id } = await sql(db).delivery.create({ data: { channelId, kind, ...notification, ...more } })
    ids.push(id)
  }
  return ids
}

/** Of an account without channels, so that no trigger writes deliveries for it. */
export const notified = numbered('99')

async function storeNotification(db: Db, blockNumber: bigint | null) {
  return await sql(db).notification.create({
    data: {
      cause: randomUUID(),
      chainId: 1,
      account: Uint8Array.from(bytea(notified)),
      type: 'order_filled',
      message: 'Order filled',
      timestamp: new Date(1_800_000_000_000),
      metadata: {},
      blockNumber,
    },
  })
}
