import { Prisma } from '../generated/client.ts'
import { comparableRows, maxLate } from '../order/mirror.ts'
import { boolean, bytes32, safeInt, smallInt, string, time } from '../query/codec.ts'
import { column, derived, type Model, type OneRow, orNull } from '../query/model.ts'
import { now } from '../query/selection.ts'

/** Checkpoint `cp`. */
const indexedBlock: Model = {
  name: 'IndexedBlock',
  description: 'A block whose events are in the responses.',
  fields: {
    number: column(safeInt, 'cp.block_number', 'Its number.'),
    hash: column(bytes32, 'cp.block_hash', 'Its hash.'),
    timestamp: orNull(column(time, 'cp.block_time', 'Its own time; null for a moment after a reorg.')),
  },
}

const lag: Model = {
  name: 'Lag',
  description: 'The lag of responses behind the chain.',
  fields: {
    blocks: orNull(
      derived(
        safeInt,
        'CASE WHEN cp.head_number IS NOT NULL THEN greatest(0, cp.head_number - cp.block_number) END',
        'Blocks between the newest one that was seen and the newest indexed one.',
      ),
    ),
    seconds: orNull(
      derived(
        safeInt,
        `CASE WHEN cp.block_time IS NOT NULL THEN greatest(0, ${now} - ceil(extract(epoch from cp.block_time))::bigint) END`,
        'Age of the newest indexed block, rounded down: if it exceeds the time between blocks, the index stands still.',
      ),
    ),
  },
}

const countUpTo = (rows: string) => `(SELECT count(*) FROM (SELECT FROM ${rows} LIMIT ${maxLate}) counted)`

/** Live orders of order book `ob`. One that it does not know is no part of the round. */
const liveRows = comparableRows('ob.chain_id')

/** Order book `ob`. */
const mirrorState: Model = {
  name: 'MirrorState',
  description: 'How near the mirror of another order book is to its source.',
  fields: {
    source: column(string, 'ob.url', 'The order book: its base URL, without `/api/v1`.'),
    lagSeconds: orNull(
      derived(
        safeInt,
        `CASE WHEN ob.looked_at IS NOT NULL THEN greatest(0, ${now} - ceil(extract(epoch FROM ob.looked_at))::bigint) END`,
        'Seconds since the source last answered to the process that follows it; null before the first time.',
      ),
    ),
    isLimited: derived(
      boolean,
      `(ob.paused_until > to_timestamp(${now}) OR ob.client_calls_at > to_timestamp(${now}) + interval '8 seconds'
        OR ob.own_calls_at > to_timestamp(${now}) + interval '4 seconds')`,
      'True while calls wait: the source requests a pause, or more than half of the calls that may be made at once are used up.',
    ),
    backfill: derived(
      safeInt,
      countUpTo('trades t WHERE t.chain_id = ob.chain_id AND t.order_id IS NULL'),
      `The number of trades whose orders are not read yet, or are not known to the source either; ${maxLate} stands for so many or more.`,
      { weight: 100 },
    ),
    liveOrders: derived(
      safeInt,
      countUpTo(liveRows),
      `The number of live orders, which are compared with the source in a round; ${maxLate} stands for so many or more.`,
      { weight: 100 },
    ),
    roundSeconds: orNull(
      derived(
        safeInt,
        `(SELECT greatest(0, ceil(${now} - extract(epoch FROM min(m.compared_at)))::bigint) FROM ${liveRows})`,
        'Seconds since the live order that waits longest was compared with the source, rounded up: a cancellation off chain is seen within so many, as the round is now. Null without live orders.',
        { weight: 100 },
      ),
    ),
    settlementsWithoutSolver: derived(
      safeInt,
      countUpTo('settlements st WHERE st.chain_id = ob.chain_id AND st.solver_due IS NOT NULL'),
      `The number of settlements through another contract whose solver, and so their auction, is not known, because the node has no trace of them; ${maxLate} stands for so many or more.`,
      { weight: 100 },
    ),
    lateOrders: derived(
      safeInt,
      countUpTo(`${liveRows} AND m.compared_at < to_timestamp(${now}) - interval '1 minute'`),
      `The number of live orders that were last compared with the source more than a minute before; ${maxLate} stands for so many or more.`,
      { weight: 100 },
    ),
  },
}

/** Network `mt`, with its checkpoint `cp` if it has one. */
const meta: Model = {
  name: 'Meta',
  description: 'The age of data about one network, and the build of the service.',
  fields: {
    head: orNull(
      column(
        safeInt,
        'cp.head_number',
        'The newest block that had been seen when `block` was indexed; null before the first, and for a moment after a reorg.',
      ),
    ),
  },
  relations: {
    block: {
      kind: 'same',
      model: () => indexedBlock,
      nullable: true,
      unless: 'cp.chain_id IS NULL',
      description: 'The newest block whose events are in the responses; null before the first.',
    },
    lag: {
      kind: 'same',
      model: () => lag,
      nullable: true,
      unless: 'cp.chain_id IS NULL',
      description: 'The lag of responses behind the chain; null while it is unknown.',
    },
    mirror: {
      kind: 'one',
      model: () => mirrorState,
      nullable: true,
      rows: 'order_books ob WHERE ob.chain_id = mt.chain_id',
      description:
        'How near the mirror of its order book is; null on a network whose order book is run here.',
    },
  },
  identity: { chainId: derived(smallInt, 'mt.chain_id', '') },
}

export const metaOf: OneRow = {
  kind: 'one',
  model: () => meta,
  rows: ({ chainId }: { chainId: number }) =>
    Prisma.sql`(SELECT ${chainId}::int AS chain_id) mt LEFT JOIN checkpoints cp ON cp.chain_id = mt.chain_id`,
  description: 'The age of data about a network.',
}
