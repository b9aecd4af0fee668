import type { ExportedEvent, FeedTrade } from './feed.ts'

export const formats = ['jsonl', 'parquet'] as const
export type Format = (typeof formats)[number]

/** A sequence of events in a file. */
interface Table {
  append(events: readonly ExportedEvent[]): Promise<void>
  finish(): Promise<void>
}

type Write = (bytes: string | Uint8Array) => Promise<void>

/** @param write appends to the file */
export async function openTable(
  { format, chainId }: { format: Format; chainId: number },
  write: Write,
): Promise<Table> {
  if (format === 'parquet') return openParquet(chainId, write)
  return {
    append: (events) => write(events.map((event) => `${JSON.stringify(event)}\n`).join('')),
    finish: async () => {},
  }
}

type Event = NonNullable<ExportedEvent['event']>
type Order = NonNullable<ExportedEvent['order']>

const types = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  truth: { type: 'BOOLEAN' },
  number: { type: 'INT32' },
  large: { type: 'INT64' },
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
} as const

interface Column {
  name: string
  type: keyof typeof types
  isNullable?: true
  of(event: ExportedEvent, chainId: number): unknown
}

const ofEvent = (name: string, type: Column['type'], of: (event: Event) => string | Date | null): Column => ({
  name,
  type,
  isNullable: true,
  of: ({ event }) => (event ? of(event) : null),
})
const ofOrder = (name: string, of: (order: Order) => string | null): Column => ({
  name,
  type: 'text',
  isNullable: true,
  of: ({ order }) => (order ? of(order) : null),
})
const ofTrade = (
  name: string,
  type: Column['type'],
  of: (trade: FeedTrade) => string | number | bigint | null,
): Column => ({ name, type, isNullable: true, of: ({ trade }) => (trade ? of(trade) : null) })

/** The columns of Parquet files. Amounts are text: a uint256 has up to 78 digits. */
const columns: readonly Column[] = [
  { name: 'cursor', type: 'large', of: ({ cursor }) => BigInt(cursor) },
  { name: 'is_removed', type: 'truth', of: ({ isRemoved }) => isRemoved },
  { name: 'event_id', type: 'text', of: ({ eventId }) => eventId },
  ofEvent('label', 'text', ({ label }) => label),
  ofEvent('reason', 'text', ({ reason }) => reason),
  ofEvent('timestamp', 'time', ({ timestamp }) => new Date(timestamp)),
  { name: 'chain_id', type: 'large', of: (_, chainId) => BigInt(chainId) },
  ofOrder('order_uid', ({ uid }) => uid),
  ofOrder('owner', ({ owner }) => owner),
  ofOrder('sell_token', ({ sellToken }) => sellToken),
  ofOrder('buy_token', ({ buyToken }) => buyToken),
  ofOrder('app_code', ({ appCode }) => appCode),
  ofOrder('referrer', ({ referrer }) => referrer),
  ofOrder('class', (order) => order.class),
  ofOrder('kind', ({ kind }) => kind),
  ofOrder('status', ({ status }) => status),
  ofTrade('block_number', 'large', ({ blockNumber }) => BigInt(blockNumber)),
  ofTrade('log_index', 'number', ({ logIndex }) => logIndex),
  ofTrade('tx_hash', 'text', ({ txHash }) => txHash),
  ofTrade('sell_amount', 'text', ({ sellAmount }) => sellAmount),
  ofTrade('sell_amount_before_fees', 'text', (trade) => trade.sellAmountBeforeFees),
  ofTrade('buy_amount', 'text', ({ buyAmount }) => buyAmount),
  ofTrade('auction_id', 'large', ({ auctionId }) => (auctionId === null ? null : BigInt(auctionId))),
  // All fees of a trade are in one token.
  ofTrade('protocol_fee_amount', 'text', ({ executedProtocolFees: fees }) =>
    String(fees.reduce((sum, { amount }) => sum + BigInt(amount), 0n)),
  ),
  ofTrade('protocol_fee_token', 'text', ({ executedProtocolFees: [fee] }) => fee?.token ?? null),
]

/** Events in memory, and rows of a group in the file. */
const groupRows = 10_000

async function openParquet(chainId: number, write: Write): Promise<Table> {
  const { ByteWriter, ParquetWriter } = await import('hyparquet-writer')
  const bytes = new ByteWriter()
  const schema = [
    { name: 'book', num_children: columns.length },
    ...columns.map(({ name, type, isNullable }) => ({
      name,
      ...types[type],
      repetition_type: isNullable ? ('OPTIONAL' as const) : ('REQUIRED' as const),
    })),
  ]
  const file = new ParquetWriter({ writer: bytes, schema, createdBy: 'tradegraph' })
  const events: ExportedEvent[] = []
  const drain = async () => {
    await write(new Uint8Array(bytes.buffer, 0, bytes.index))
    bytes.index = 0
  }
  const writeGroup = async (count: number) => {
    const group = events.splice(0, count)
    const columnData = columns.map(({ name, of }) => ({
      name,
      data: group.map((event) => of(event, chainId)),
    }))
    await file.write({ columnData, rowGroupSize: groupRows })
    await drain()
  }
  return {
    async append(more) {
      events.push(...more)
      while (events.length >= groupRows) await writeGroup(groupRows)
    },
    async finish() {
      if (events.length > 0) await writeGroup(events.length)
      await file.finish()
      await drain()
    },
  }
}
