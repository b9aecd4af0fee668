import type { Address } from '../../../src/domain/evm/address.ts'
import type { OrderUid } from '../../../src/domain/order/order.ts'
import type { Database } from '../../../src/storage/database/database.ts'
import { recordNotifications } from '../../../src/storage/notifications.ts'
import { appendEvents } from '../../../src/storage/order/events.ts'
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

/** An order of each account, whose number is the account. */
export const ordersSql = `
  INSERT INTO orders (id, chain_id, uid, owner, sell_token, buy_token, sell_amount, buy_amount, valid_to, app_data, fee_amount, kind,
    partially_fillable, sell_token_balance, buy_token_balance, signing_scheme, signature, settlement, class, full_balance_check,
    created_at, effective_valid_to)
  SELECT ('x' || right(account, 16))::bit(64)::bigint, ${shape.network.chainId}, decode(rpad(substr(account, 3), 112, '0'), 'hex'),
    decode(substr(account, 3), 'hex'), '', '', 1, 1, 4000000000, '', 0, 'sell', false, 'erc20', 'erc20', 'eip712', '', '', 'limit',
    false, now(), 4000000000
  FROM unnest($1::text[]) account`

/** Commits events of these orders. A cancellation by policy has any text as its detail. */
export async function commitBookEvents(db: Database, events: readonly BenchEvent[]): Promise<void> {
  await db.transaction((tx) =>
    appendEvents(
      tx,
      events.map(({ account, message }) => ({
        orderId: BigInt(account),
        label: 'cancelled',
        reason: message,
        timestamp: new Date(),
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
