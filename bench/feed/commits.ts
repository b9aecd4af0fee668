import pg from 'pg'
import { query } from '../database/open.ts'
import { shape } from '../database/shape.ts'
import { median } from '../load/turn.ts'

const connections = 8

/** Triggers that are off, by what a commit writes then. */
const variants: Record<string, readonly string[]> = {
  'no entry': ['trades_placed ON trades', 'order_events_placed ON order_events'],
  'the entry of the event': ['trades_placed ON trades'],
  'the entries of event and trade': [],
}
const triggers = variants['no entry'] ?? []

const tables = (trigger: string, state: 'ENABLE' | 'DISABLE') => {
  const [name, table] = trigger.split(' ON ')
  return `ALTER TABLE ${table} ${state} TRIGGER ${name}`
}

export interface CommitFigures {
  entries: string
  perSecond: number
  rounds: number[]
}

/** Counts commits of a trade and its event by connections that do nothing else. */
export async function measureCommits(url: string, seconds: number, rounds: number): Promise<CommitFigures[]> {
  const [{ block = 0 } = {}] = await query<{ block: number }>(
    url,
    'SELECT max(block_number)::int AS block FROM trades',
  )
  let next = block
  const figures = Object.keys(variants).map((entries) => ({ entries, rounds: [] as number[] }))
  for (let round = 0; round < rounds; round++)
    for (const [index, off] of Object.values(variants).entries()) {
      for (const trigger of triggers)
        await query(url, tables(trigger, off.includes(trigger) ? 'DISABLE' : 'ENABLE'))
      const started = performance.now()
      const deadline = started + seconds * 1_000
      const first = next
      await Promise.all(
        Array.from({ length: connections }, async () => {
          const client = new pg.Client({ connectionString: url })
          await client.connect()
          while (performance.now() < deadline) await commit(client, ++next)
          await client.end()
        }),
      )
      figures[index]?.rounds.push(((next - first) * 1_000) / (performance.now() - started))
    }
  return figures.map(({ entries, rounds }) => ({ entries, rounds, perSecond: median(rounds) }))
}

async function commit(client: pg.Client, block: number): Promise<void> {
  await client.query('BEGIN')
  await client.query(
    `INSERT INTO trades (chain_id, block_number, log_index, order_id, order_uid, owner, sell_token, buy_token, sell_amount,
       buy_amount, fee_amount, tx_hash, auction_id)
     SELECT ${shape.network.chainId}, $1::bigint, 0, o.id, o.uid, o.owner, o.sell_token, o.buy_token, 5, 5, 0, '', NULL
     FROM orders o WHERE o.id = 1 + $1::bigint % (SELECT max(id) FROM orders)`,
    [block],
  )
  await client.query(
    `INSERT INTO order_events (order_id, label, timestamp, block_number, log_index)
     SELECT order_id, 'traded', now(), block_number, 0 FROM trades WHERE chain_id = ${shape.network.chainId} AND block_number = $1`,
    [block],
  )
  await client.query('COMMIT')
}
