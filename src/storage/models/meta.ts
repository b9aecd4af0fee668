import { Prisma } from '../generated/client.ts'
import { bytes32, safeInt, smallInt, time } from '../query/codec.ts'
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
