import { handlerTypes } from '../../domain/programmatic/handlers.ts'
import { type GeneratorStatus, generatorStatuses } from '../../domain/programmatic/statuses.ts'
import { isOf, mayHaveStatus, partsOfOrder, programmaticStatusSql } from '../chain/programmatic-status.ts'
import { programmaticRowFields } from '../models/programmatic.ts'
import { statusCase } from '../order/status.ts'
import { rowSql } from '../query/json.ts'

/** How a value is compared and written: hex is text whose filters ignore the case. */
type FieldKind = 'text' | 'hex' | 'enum' | 'int' | 'bigint' | 'eventId'

export interface ListField {
  kind: FieldKind
  /** The value; of hex, the bytes. */
  sql: string
  /** The name of its enum. */
  enum?: EnumName
  isNullable?: boolean
  /** Further conditions that hold for rows with a value, by which an index finds them. */
  narrows?: 'resolvedOwner'
  /** Expressions with the same order on one network, by which an index reads it. */
  order?: readonly string[]
  /** SQL condition that holds for all rows with a value, and is cheaper. */
  mayBe?: (value: string) => string
  /** No filter, and no argument of an order. */
  isPlain?: boolean
}

/** A list of rows over tables, whose rows have the key in the order of `key`. */
export interface List {
  from: string
  /** The same number of rows without the joined ones, `c` and `s`. */
  rows?: string
  fields: Readonly<Record<string, ListField>>
  key: readonly string[]
  /** SQL of a JSON column that comes with each row. */
  facts?: string
  /** The table that is read whole, unless a filter has a value of one of these fields. */
  table: string
  indexed: readonly string[]
}

export const enums = {
  orderTypeEnum: handlerTypes,
  orderStatusEnum: ['Active', 'Cancelled', 'Completed'],
  discreteOrderStatusEnum: ['open', 'fulfilled', 'unfilled', 'expired', 'cancelled'],
  addressTypeEnum: ['cowshed_proxy', 'flash_loan_helper'],
} as const satisfies Record<string, readonly string[]>
export type EnumName = keyof typeof enums

const statuses: Record<GeneratorStatus, (typeof enums.orderStatusEnum)[number]> = {
  scheduled: 'Active',
  active: 'Active',
  cancelled: 'Cancelled',
  filled: 'Completed',
  partlyFilled: 'Completed',
  expired: 'Completed',
  ended: 'Completed',
  invalid: 'Completed',
}

const epoch = (time: string) => `extract(epoch FROM ${time})::bigint`

/** Creation `c` of order `g`: 75 digits. The place of the transaction in its block is not stored, and 0. */
const eventId = `(lpad(${epoch('c.block_time')}::text, 10, '0') || lpad(g.chain_id::text, 16, '0')
  || lpad(c.block_number::text, 16, '0') || repeat('0', 16) || '5' || lpad(c.log_index::text, 16, '0'))`

/** The first creation `c` of order `g`. */
const firstCreation = `JOIN LATERAL (SELECT pc.* FROM programmatic_creations pc WHERE ${isOf('pc')}
  ORDER BY pc.block_number, pc.log_index LIMIT 1) c ON true`

const sum = (value: string) => `(SELECT coalesce(sum(${value}), 0)::text FROM ${partsOfOrder})`

/** The fee in sell token atoms: the schema names no token. A fee in the bought token is less than one. */
const soldFee =
  'CASE WHEN coalesce(o.executed_fee_token, o.sell_token) = o.sell_token THEN o.executed_fee ELSE 0 END'

/**
 * The newest block at which anything of order `g` may have changed: with each reading of the contract, orders
 * that were placed since, and an end by time, are covered.
 */
const updatedAtBlock = `greatest(g.looked_block, (SELECT max(pc.block_number) FROM programmatic_creations pc WHERE ${isOf('pc')}),
  (SELECT max(greatest(o.expired_at_block, (SELECT max(t.block_number) FROM trades t WHERE t.order_id = o.id),
    (SELECT max(i.block_number) FROM invalidations i WHERE i.order_uid = o.uid))) FROM ${partsOfOrder}))`

/** Programmatic orders: each one once, by its first creation. */
export const generators: List = {
  from: `programmatic_orders g ${firstCreation} LEFT JOIN LATERAL (SELECT sh.account FROM sheds sh
    WHERE sh.chain_id = g.chain_id AND sh.shed = g.owner ORDER BY sh.block_number, sh.log_index LIMIT 1) s ON true`,
  rows: `(SELECT po.* FROM programmatic_orders po WHERE po.source = 'log' OR EXISTS (SELECT FROM programmatic_creations pc
    WHERE pc.chain_id = po.chain_id AND pc.owner = po.owner AND pc.hash = po.hash)) g`,
  key: ['chainId', 'eventId'],
  table: 'programmatic_orders',
  indexed: ['eventId', 'owner', 'resolvedOwner'],
  facts: `json_build_object('id', g.id::text, 'row', (${rowSql(programmaticRowFields)})::json, 'type', g.type,
    'blockNumber', c.block_number::text, 'createdAt', ${epoch('c.block_time')}::text)`,
  fields: {
    eventId: { kind: 'eventId', sql: eventId, order: ['g.created_block', 'c.log_index'] },
    chainId: { kind: 'int', sql: 'g.chain_id' },
    owner: { kind: 'hex', sql: 'g.owner' },
    resolvedOwner: { kind: 'hex', sql: 'coalesce(s.account, g.owner)', narrows: 'resolvedOwner' },
    ownerAddressType: {
      kind: 'enum',
      enum: 'addressTypeEnum',
      isNullable: true,
      sql: `CASE WHEN s.account IS NOT NULL THEN 'cowshed_proxy' END`,
    },
    handler: { kind: 'hex', sql: 'g.handler' },
    salt: { kind: 'hex', sql: 'g.salt' },
    staticInput: { kind: 'hex', sql: 'g.static_input' },
    hash: { kind: 'hex', sql: 'g.hash' },
    orderType: { kind: 'enum', enum: 'orderTypeEnum', sql: 'g.type' },
    status: {
      kind: 'enum',
      enum: 'orderStatusEnum',
      sql: programmaticStatusSql('clock.now', statuses),
      mayBe: (value) =>
        mayHaveStatus(
          'clock.now',
          generatorStatuses.filter((status) => statuses[status] === value),
        ),
    },
    txHash: { kind: 'hex', sql: 'c.tx_hash' },
    updatedAtBlock: { kind: 'bigint', sql: updatedAtBlock },
    creationDate: { kind: 'bigint', sql: epoch('c.block_time'), order: ['g.created_block'] },
    executed: {
      kind: 'text',
      isPlain: true,
      sql: `(json_build_object('executedSellAmount', ${sum('o.executed_sell')}, 'executedBuyAmount', ${sum('o.executed_buy')},
        'executedFee', ${sum(soldFee)})::text)`,
    },
  },
}

/** The orders of the book that are parts. */
export const discreteOrders: List = {
  from: `programmatic_parts pp JOIN orders o ON o.id = pp.order_id JOIN programmatic_orders g ON ${isOf('pp')} ${firstCreation}`,
  key: ['chainId', 'orderUid'],
  table: 'programmatic_parts',
  indexed: ['orderUid', 'conditionalOrderGeneratorId'],
  fields: {
    orderUid: { kind: 'hex', sql: 'o.uid' },
    chainId: { kind: 'int', sql: 'g.chain_id' },
    conditionalOrderGeneratorId: { kind: 'eventId', sql: eventId },
    status: {
      kind: 'enum',
      enum: 'discreteOrderStatusEnum',
      sql: `(CASE ${statusCase('clock.now', {
        fulfilled: 'fulfilled',
        cancelled: 'cancelled',
        expired: 'expired',
        presignaturePending: 'open',
        open: 'open',
      })} WHEN 'open' THEN CASE WHEN g.removed_block IS NULL THEN 'open' ELSE 'cancelled' END
        WHEN 'fulfilled' THEN 'fulfilled' WHEN 'cancelled' THEN 'cancelled' ELSE 'expired' END)`,
    },
    sellAmount: { kind: 'text', sql: 'o.sell_amount::text' },
    buyAmount: { kind: 'text', sql: 'o.buy_amount::text' },
    feeAmount: { kind: 'text', sql: 'o.fee_amount::text' },
    validTo: { kind: 'int', sql: 'o.valid_to' },
    creationDate: { kind: 'bigint', sql: epoch("date_trunc('second', o.created_at)") },
    executedSellAmount: { kind: 'bigint', sql: 'o.executed_sell' },
    executedBuyAmount: { kind: 'bigint', sql: 'o.executed_buy' },
    executedFee: { kind: 'bigint', sql: `(${soldFee})` },
    sortKey: {
      kind: 'text',
      sql: `(lpad(o.valid_to::text, 10, '0') || ':0x' || encode(o.uid, 'hex') || ':' || g.chain_id)`,
    },
  },
}

/** CoWShed proxies and their users. */
export const ownerMappings: List = {
  from: `(SELECT sh.* FROM sheds sh WHERE NOT EXISTS (SELECT FROM sheds e WHERE e.chain_id = sh.chain_id
    AND e.shed = sh.shed AND (e.block_number, e.log_index) < (sh.block_number, sh.log_index))) g`,
  key: ['chainId', 'address'],
  table: 'sheds',
  indexed: ['address', 'owner'],
  fields: {
    address: { kind: 'hex', sql: 'g.shed' },
    chainId: { kind: 'int', sql: 'g.chain_id' },
    owner: { kind: 'hex', sql: 'g.account' },
    addressType: { kind: 'enum', enum: 'addressTypeEnum', sql: `'cowshed_proxy'` },
    txHash: { kind: 'hex', sql: 'g.tx_hash' },
    blockNumber: { kind: 'bigint', sql: 'g.block_number' },
    resolutionDepth: { kind: 'int', sql: '0' },
  },
}

/** Transactions that created programmatic orders. */
export const transactions: List = {
  from: `(SELECT DISTINCT chain_id, tx_hash, block_number, block_time FROM programmatic_creations) g`,
  key: ['chainId', 'hash'],
  table: 'programmatic_creations',
  indexed: [],
  fields: {
    hash: { kind: 'hex', sql: 'g.tx_hash' },
    chainId: { kind: 'int', sql: 'g.chain_id' },
    blockNumber: { kind: 'bigint', sql: 'g.block_number' },
    blockTimestamp: { kind: 'bigint', sql: epoch('g.block_time') },
  },
}
