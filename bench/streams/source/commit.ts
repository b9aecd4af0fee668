import type { Address } from '../../../src/domain/evm/address.ts'
import type { OrderUid } from '../../../src/domain/order/order.ts'
import type { Database } from '../../../src/storage/database/database.ts'
import { recordNotifications } from '../../../src/storage/notifications.ts'
import { query } from '../../database/open.ts'
import { shape } from '../../database/shape.ts'

export interface BenchEvent {
  number: number
  account: string
  message: string
}

const orderId = `0x${'ab'.repeat(56)}` as OrderUid

/** Commits events like the program's own writers. */
export async function commitEvents(db: Database, events: readonly BenchEvent[]): Promise<void> {
  await db.transaction((tx) =>
    recordNotifications(
      tx,
      events.map(({ number, account, message }) => ({
        cause: `bench:${number}`,
        account: account as Address,
        type: 'order_filled',
        message,
        timestamp: new Date(),
        metadata: { orderId, chainId: shape.network.chainId },
        blockNumber: null,
      })),
    ),
  )
}

/** Commits events by one statement, for the many that readers missed. Triggers give them their entries. */
export async function commitMany(url: string, events: readonly BenchEvent[]): Promise<void> {
  await query(
    url,
    `INSERT INTO notifications (cause, chain_id, account, type, message, timestamp, metadata)
     SELECT 'bench:' || number, $1::int, decode(substr(account, 3), 'hex'), 'order_filled', message, now(),
       jsonb_build_object('orderId', $2::text, 'chainId', $1::int)
     FROM unnest($3::int[], $4::text[], $5::text[]) AS e (number, account, message)`,
    [
      shape.network.chainId,
      orderId,
      events.map(({ number }) => number),
      events.map(({ account }) => account),
      events.map(({ message }) => message),
    ],
  )
}
