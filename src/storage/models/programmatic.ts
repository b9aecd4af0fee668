import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'
import { orderStatuses } from '../../domain/order/status.ts'
import type { DiagnosedOrder } from '../../domain/programmatic/diagnosis.ts'
import { type HandlerType, handlerTypes } from '../../domain/programmatic/handlers.ts'
import type { ProgrammaticKey } from '../../domain/programmatic/params.ts'
import { type GeneratorStatus, generatorStatuses, pollResults } from '../../domain/programmatic/statuses.ts'
import { screaming } from '../../domain/text/spelling.ts'
import { programmaticSources } from '../chain/programmatic.ts'
import {
  accountBehind,
  executedOf,
  filledParts,
  generatorStatusNames,
  isOf,
  mayHaveStatus,
  partsOfOrder,
  programmaticStatusSql,
} from '../chain/programmatic-status.ts'
import { bytea, raw } from '../database/columns.ts'
import { feedScan, placeFaults, placeKey } from '../feeds/book.ts'
import { Prisma } from '../generated/client.ts'
import { ordersKey, scanLimit } from '../order/ranges.ts'
import { statusCase, statusNames } from '../order/status.ts'
import {
  address,
  amount,
  boolean,
  bytes,
  bytes32,
  enumOf,
  hexText,
  safeInt,
  smallInt,
  spelledEnumOf,
  string,
  time,
  uint32,
} from '../query/codec.ts'
import type { FeedSource } from '../query/feed-source.ts'
import { type RowFields, rowSql } from '../query/json.ts'
import {
  column,
  derived,
  type Model,
  modelNamed,
  orNull,
  type PageSource,
  type Relation,
} from '../query/model.ts'
import { nodeId } from '../query/node-id.ts'
import type { PageKey } from '../query/page-key.ts'
import { now } from '../query/selection.ts'
import { sqlExpression } from '../query/sql-text.ts'
import { areProgrammaticOrdersComplete, isListComplete } from './completeness.ts'

const graphStatus = Object.fromEntries(
  generatorStatuses.map((status) => [status, screaming(status)]),
) as Record<GeneratorStatus, string>

/** Members that resolvers compute the parts from. */
export interface ProgrammaticRow {
  chainId: number
  owner: Address
  handler: Address
  salt: Bytes32
  staticInput: `0x${string}`
  context: Bytes32 | null
  removedBlock: number | null
}

const stored = {
  owner: column(
    address,
    'g.owner',
    'The contract wallet that authorised it, and that owns its orders. It may be a proxy: see resolvedOwner.',
  ),
  handler: column(address, 'g.handler', 'The contract that makes its orders.'),
  salt: column(bytes32, 'g.salt', 'It distinguishes programmatic orders with the same input.'),
  staticInput: column(bytes, 'g.static_input', 'The arguments of the handler, in its own encoding.', {
    weight: 8,
  }),
  context: orNull(
    column(
      bytes32,
      'g.context',
      'The word that its creation stored in the contract: the start of a TWAP that has none in its input. Zero without one; null until it is read.',
    ),
  ),
  removedBlock: orNull(
    column(
      safeInt,
      'g.removed_block',
      'The first block at which the service saw that the contract does not authorise it any more; null while it does. The contract does not log a removal, so it may have been earlier.',
    ),
  ),
}

const pollResult = enumOf('ProgrammaticPollResult', pollResults)

/** SQL condition: the network of programmatic order `g` follows an order book. */
const isFollowed = 'EXISTS (SELECT FROM order_books ob WHERE ob.chain_id = g.chain_id)'

const polls = {
  nextPollAt: orNull(
    derived(
      uint32,
      `CASE WHEN NOT ${isFollowed} THEN g.poll_at END`,
      'Unix seconds from which on the watch tower polls it; 0 means at once, null that no part can follow, or that its network follows an order book, whose towers poll it. It polls none that is CANCELLED or INVALID.',
    ),
  ),
  nextPollBlock: orNull(
    column(safeInt, 'g.poll_block', 'The block from which on it polls it; null if only the time counts.'),
  ),
}

const diagnosedFields: RowFields<DiagnosedOrder> = {
  status: derived(
    spelledEnumOf('ProgrammaticOrderStatus', generatorStatuses),
    () => programmaticStatusSql(now, generatorStatusNames),
    '',
  ),
  fault: orNull(column(string, 'g.fault', '')),
  type: column(enumOf('ProgrammaticOrderType', handlerTypes), 'g.type', ''),
  startsAt: orNull(column(uint32, 'g.starts_at', '')),
  endsAt: orNull(column(uint32, 'g.ends_at', '')),
  partStatus: orNull(
    derived(
      enumOf('OrderStatus', orderStatuses),
      `CASE WHEN g.poll_result = 'placed' THEN (SELECT ${statusCase(now, statusNames)} FROM ${partsOfOrder}
        ORDER BY pp.order_id DESC LIMIT 1) END`,
      '',
    ),
  ),
  pollResult: orNull(column(pollResult, 'g.poll_result', '')),
  pollReason: orNull(column(string, 'g.poll_reason', '')),
  pollAt: polls.nextPollAt,
  isFollowed: derived(boolean, isFollowed, ''),
  isBooked: derived(boolean, `EXISTS (SELECT FROM ${partsOfOrder} AND o.effective_valid_to >= ${now})`, ''),
}

const poll: Model = {
  name: 'ProgrammaticOrderPoll',
  description:
    'A poll of a programmatic order by the watch tower: whether its handler made a part, and whether that was placed.',
  fields: {
    time: column(time, 'lp.polled_at', 'The time of that block.'),
    block: column(safeInt, 'lp.polled_block', 'The newest block then.'),
    result: column(pollResult, 'lp.poll_result', 'What it found.'),
    reason: orNull(
      column(
        string,
        'lp.poll_reason',
        'More about it: the error of the handler with its message, or that of the order; control characters are removed. Null if there is nothing to add.',
      ),
    ),
  },
}

export const programmaticRowFields: RowFields<ProgrammaticRow> = {
  chainId: column(smallInt, 'g.chain_id', ''),
  ...stored,
}

const jsonFacts = <Row>(fields: RowFields<Row>) =>
  derived<unknown>(
    {
      type: 'JSON',
      text: (expression) => sqlExpression(expression),
      read: (json) => json,
      column: 'text',
      write: () => {
        throw new TypeError('facts are read only')
      },
    },
    `(${rowSql(fields)})`,
    '',
  )

/** A row for resolvers, as JSON: see `ProgrammaticRow`. */
export const programmaticFacts = jsonFacts(programmaticRowFields)

/** The same: see `DiagnosedOrder`. */
export const programmaticDiagnosisFacts = jsonFacts(diagnosedFields)

const creation: Model = {
  name: 'ProgrammaticOrderCreation',
  description: 'A transaction that authorised a programmatic order. The same one can be authorised again.',
  isFollowed: true,
  fields: {
    blockNumber: column(safeInt, 'pc.block_number', 'The block that created it.'),
    logIndex: column(smallInt, 'pc.log_index', 'The index of its log in the block.'),
    txHash: column(bytes32, 'pc.tx_hash', 'The transaction that created it.'),
    timestamp: column(time, 'pc.block_time', 'The time of the block.'),
  },
}

const creationsKey: PageKey = {
  letter: 'c',
  parts: [
    { sql: 'pc.block_number', type: 'number' },
    { sql: 'pc.log_index', type: 'number' },
  ],
  order: 'ASC',
}

/** Programmatic order `g`. */
export const programmaticOrder: Model = {
  name: 'ProgrammaticOrder',
  description:
    'A contract wallet’s authorisation in ComposableCoW by which a handler makes orders, part by part: a TWAP, a stop-loss order and others. The owner’s wallet answers for the signature of each.',
  isFollowed: true,
  fields: {
    id: nodeId('ProgrammaticOrder', 'g.chain_id', hexText('g.owner'), hexText('g.hash')),
    hash: column(
      bytes32,
      'g.hash',
      'The hash of handler, salt and static input. With network and owner it identifies the programmatic order.',
    ),
    ...stored,
    resolvedOwner: derived(
      address,
      accountBehind,
      'The account behind the owner: the user of a CoWShed proxy, else the owner itself.',
    ),
    type: column(enumOf('ProgrammaticOrderType', handlerTypes), 'g.type', 'The kind of its handler.'),
    source: column(
      enumOf('ProgrammaticOrderSource', programmaticSources),
      'g.source',
      'How the service found it first.',
    ),
    root: orNull(
      column(
        bytes32,
        'g.root',
        'The Merkle root of its owner that it is a leaf of; null for a single order.',
      ),
    ),
    proof: orNull(
      column(
        bytes,
        'g.proof',
        'The nodes of its proof to root, 32 bytes each, from the leaf up; null for a single order, and where the contract accepts no proof of that tree.',
      ),
    ),
    creationDate: derived(
      time,
      // Null in rows from before the column.
      `coalesce(g.created_at, (SELECT pc.block_time FROM programmatic_creations pc WHERE ${isOf('pc')} ORDER BY pc.block_number, pc.log_index LIMIT 1))`,
      'The time of the block that created it first. Without a log of a creation: of the block of its root, or of that in which the service found it.',
    ),
    status: derived(
      spelledEnumOf('ProgrammaticOrderStatus', generatorStatuses),
      (spelling) => programmaticStatusSql(now, spelling === 'graphql' ? graphStatus : generatorStatusNames),
      'Derived on every read, first match: CANCELLED, INVALID, SCHEDULED, FILLED, PARTLY_FILLED, EXPIRED, ENDED, ACTIVE.',
      { weight: 2 },
    ),
    statusReason: orNull(
      derived(
        string,
        `CASE WHEN g.removed_block IS NOT NULL THEN CASE WHEN g.root IS NULL THEN 'the contract does not authorise it' ELSE 'its root was replaced' END
            || '; first seen in block ' || g.removed_block
          WHEN g.fault IS NOT NULL THEN g.fault WHEN g.looked_block IS NULL THEN 'the contract is still to be read' END`,
        'More about the status, as text: when a removal was seen, or the rule that the input breaks. Null if there is nothing to add.',
      ),
    ),
    ...polls,
    removedAt: orNull(column(time, 'g.removed_at', 'The time of removedBlock.')),
    readBlock: orNull(
      column(safeInt, 'g.looked_block', 'The newest block at which the contract was read; null before that.'),
    ),
    partCount: orNull(
      column(safeInt, 'g.part_count', 'The number of its parts; null if it is not known in advance.'),
    ),
    startsAt: orNull(
      column(uint32, 'g.starts_at', 'Unix seconds of its start; null if it is not known in advance.'),
    ),
    endsAt: orNull(
      column(
        uint32,
        'g.ends_at',
        'Unix seconds: the last in which a part of it can be traded; null if it is not known in advance.',
      ),
    ),
    isReverted: derived(
      boolean,
      // No EXISTS: the planner may hash the whole table for one.
      `(SELECT true FROM programmatic_orders lg WHERE ${isOf('lg')}) IS NULL`,
      'True if a reorg undid its creation. Only lists by changes have such ones.',
    ),
    filledParts: derived(
      safeInt,
      filledParts,
      'The number of its orders that are filled: see orders.isComplete, as for the executed amounts.',
      { weight: 2 },
    ),
    executedSellAmount: derived(
      amount,
      executedOf('executed_sell'),
      'Sold so far by its orders, signed fees included.',
      { weight: 2 },
    ),
    executedBuyAmount: derived(amount, executedOf('executed_buy'), 'Bought so far by its orders.', {
      weight: 2,
    }),
  },
  relations: {
    lastPoll: {
      kind: 'one',
      model: () => poll,
      nullable: true,
      rows: 'programmatic_orders lp WHERE lp.id = g.id AND lp.poll_result IS NOT NULL',
      description: 'The last poll by the watch tower; null before the first since it was created or changed.',
    },
    creations: {
      kind: 'page',
      model: () => creation,
      rows: (): PageSource => ({
        ranges: [raw(`programmatic_creations pc WHERE ${isOf('pc')}`)],
        isComplete: areProgrammaticOrdersComplete('g.chain_id'),
        mayBeEmpty: true,
      }),
      key: creationsKey,
      description: 'The transactions that authorised it, oldest first.',
    },
    orders: {
      kind: 'page',
      model: modelNamed('Order'),
      rows: (): PageSource => ({
        ranges: [raw(partsOfOrder)],
        isComplete: isListComplete('orders', 'g.owner', 'g.chain_id'),
        mayBeEmpty: true,
      }),
      key: ordersKey,
      description: 'Its orders that were placed, newest first, as their signatures name it.',
    },
  },
  identity: {
    chainId: column(smallInt, 'g.chain_id', ''),
    owner: stored.owner,
  },
}

/** Programmatic orders, newest first on each network. */
const programmaticKey: PageKey = {
  letter: 'g',
  parts: [
    { sql: 'g.created_block', type: 'number' },
    { sql: 'g.id', type: 'number' },
  ],
  order: 'DESC',
}

interface ProgrammaticFilter {
  chainIds: readonly number[]
  owner?: Address | undefined
  /** The account behind the owner: an address, or SQL for one. */
  resolvedOwner?: Address | Prisma.Sql | undefined
  statuses?: readonly GeneratorStatus[] | undefined
  type?: HandlerType | undefined
  /** The first bytes of the hash. */
  hash?: Hex | undefined
  /** The transaction of a creation. */
  txHash?: Bytes32 | undefined
}

interface ListedOrders {
  filter: ProgrammaticFilter
  now: number
  /** True for the order of their last changes, with those that a reorg undid. */
  isByChange: boolean
}

const accountOf = ({ resolvedOwner }: ProgrammaticFilter) =>
  typeof resolvedOwner === 'string' ? Prisma.sql`${bytea(resolvedOwner)}` : resolvedOwner

/** Conditions that no index supports. */
function conditionsOf({ statuses, type }: ProgrammaticFilter, now: number): Prisma.Sql[] {
  return [
    type && Prisma.sql`g.type = ${type}`,
    statuses &&
      Prisma.sql`${raw(mayHaveStatus(String(now), statuses))} AND ${raw(programmaticStatusSql(String(now), generatorStatusNames))} = ANY(${[...statuses]}::text[])`,
  ].filter((condition) => condition !== undefined)
}

/** The condition that the hash of `g` begins with some bytes: a range of an index. */
function beginsWith(prefix: Hex): Prisma.Sql {
  const end = BigInt(prefix) + 1n
  const digits = prefix.length - 2
  const from = Prisma.sql`g.hash >= ${bytea(prefix)}`
  if (end >> BigInt(digits * 4) > 0n) return from
  return Prisma.sql`${from} AND g.hash < ${bytea(`0x${end.toString(16).padStart(digits, '0')}`)}`
}

/** Conditions that an index supports on a network. */
function namedOn(chainId: number, { hash, txHash }: ProgrammaticFilter): Prisma.Sql[] {
  return [
    hash && beginsWith(hash),
    txHash &&
      Prisma.sql`(g.owner, g.hash) IN (SELECT pc.owner, pc.hash FROM programmatic_creations pc WHERE pc.chain_id = ${chainId} AND pc.tx_hash = ${bytea(txHash)})`,
  ].filter((condition) => condition !== undefined)
}

/** A range for each network; an account has another for those of its proxies. */
function rangesOf({ filter, now, isByChange }: ListedOrders): PageSource {
  if (isByChange) return changedRanges(filter, now)
  const { chainIds, owner } = filter
  const account = accountOf(filter)
  const ranges = chainIds.flatMap((chainId) => {
    const named = namedOn(chainId, filter)
    const range = (condition: Prisma.Sql) =>
      Prisma.sql`programmatic_orders g WHERE g.chain_id = ${chainId} AND ${Prisma.join([condition, ...named], ' AND ')}`
    if (owner) return [range(Prisma.sql`g.owner = ${bytea(owner)}`)]
    if (!account) return [range(Prisma.sql`true`)]
    return [
      range(
        Prisma.sql`g.owner = ${account} AND NOT EXISTS (SELECT FROM sheds sh WHERE sh.chain_id = ${chainId} AND sh.shed = g.owner)`,
      ),
      range(
        Prisma.sql`g.owner IN (SELECT sh.shed FROM sheds sh WHERE sh.chain_id = ${chainId} AND sh.account = ${account})`,
      ),
    ]
  })
  const conditions = conditionsOf(filter, now)
  return {
    ranges,
    isComplete: areProgrammaticOrdersComplete(chainIds),
    mayBeEmpty: true,
    ...(conditions.length > 0 && {
      scan: { limit: scanLimit, condition: Prisma.join(conditions, ' AND ') },
    }),
  }
}

/** Programmatic order `g` of entry `f` as it is, or as it was when a reorg undid it. */
const orderOfEntry = `(SELECT g.* FROM (SELECT * FROM programmatic_orders g WHERE ${isOf('f')} LIMIT 1) g
  UNION ALL SELECT g.* FROM jsonb_populate_record(NULL::programmatic_orders, f.removed) g
    WHERE f.removed IS NOT NULL AND (SELECT true FROM programmatic_orders lg WHERE ${isOf('lg')}) IS NULL) g`

/** Programmatic orders after a place in their feed, each once with its last change. */
function changedRanges(filter: ProgrammaticFilter, now: number): PageSource {
  const { chainIds, owner } = filter
  const account = accountOf(filter)
  const conditions = [
    Prisma.sql`g.chain_id = ANY(${[...chainIds]}::int[])`,
    // No EXISTS, here and above: the planner may compare each entry with the whole table for one.
    Prisma.sql`(SELECT true FROM programmatic_feed l WHERE ${raw(isOf('l'))} AND l.place > g.place LIMIT 1) IS NULL`,
    owner && Prisma.sql`g.owner = ${bytea(owner)}`,
    account && Prisma.sql`${raw(accountBehind)} = ${account}`,
    ...conditionsOf(filter, now),
  ].filter((condition) => condition !== undefined)
  return {
    ranges: [
      Prisma.sql`(SELECT g.*, f.place FROM programmatic_feed f CROSS JOIN LATERAL ${raw(orderOfEntry)}) g WHERE true`,
    ],
    scan: { limit: feedScan, condition: Prisma.join(conditions, ' AND ') },
    isComplete: areProgrammaticOrdersComplete(chainIds),
    mayBeEmpty: true,
    ordered: { key: placeKey('g'), faults: placeFaults('programmatic') },
  }
}

const byChangeText =
  'With changedAfter those that have changed, in the order of their last changes: one that is created, again too, removed, authorised again, ended or undone by a reorg, whose terms, poll result or poll reason differ, or whose orders are placed, traded, cancelled, invalidated or expired. Its start at startsAt is no change, nor are times of polls and readBlock.'

export const listedProgrammaticOrders: Relation = {
  kind: 'page',
  model: () => programmaticOrder,
  rows: rangesOf,
  key: programmaticKey,
  description: `Programmatic orders, newest first on each network. ${byChangeText}`,
}

export const programmaticOrdersOfAccount: Relation = {
  ...listedProgrammaticOrders,
  rows: ({ filter, ...listed }: ListedOrders): PageSource =>
    rangesOf({ filter: { ...filter, resolvedOwner: raw('ac.address') }, ...listed }),
  description: `Programmatic orders of the account and of its CoWShed proxies, newest first on each network. ${byChangeText}`,
}

export interface ProgrammaticOrderKey extends ProgrammaticKey {
  chainId: number
}

export const oneProgrammaticOrder: Relation = {
  kind: 'one',
  model: () => programmaticOrder,
  nullable: true,
  rows: ({ chainId, owner, hash }: ProgrammaticOrderKey) =>
    Prisma.sql`programmatic_orders g WHERE g.chain_id = ${chainId} AND g.owner = ${bytea(owner)} AND g.hash = ${bytea(hash)}`,
  description: 'One programmatic order; null when it is not known.',
}

/** The programmatic order of order `o`. */
export const programmaticOrderOfOrder: Relation = {
  kind: 'one',
  model: () => programmaticOrder,
  nullable: true,
  rows: `programmatic_parts pp JOIN programmatic_orders g ON ${isOf('pp')} WHERE pp.order_id = o.id`,
  description:
    'The programmatic order whose part it is, as its signature says; null for any other order, and while that is not known.',
}

/** Changes of programmatic orders: only lists by changes read it. */
export const programmaticFeed = {
  name: 'programmatic',
  table: 'programmatic_feed',
  entry: programmaticOrder,
  rows: `programmatic_feed f CROSS JOIN LATERAL ${orderOfEntry} WHERE true`,
  key: '',
  keyType: 'filter',
} satisfies FeedSource
