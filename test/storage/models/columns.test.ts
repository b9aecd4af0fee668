import { describe, expect, test } from 'vitest'
import { described } from './described.ts'
import { readSchema } from './prisma-schema.ts'

/** The table of each alias; SQL in a description may give an alias to another table. */
const aliases: Record<string, string> = {
  o: 'orders',
  q: 'order_quotes',
  ev: 'order_events',
  tr: 'trades',
  a: 'auctions',
  s: 'solutions',
  px: 'solution_executions',
  x: 'executions',
  sd: 'order_standings',
  ms: 'market_prices',
  t: 'settlement_attempts',
  st: 'settlements',
  sm: 'settlement_amounts',
  xs: 'exclusion_spans',
  sv: 'solver_answers',
  rs: 'refused_solutions',
  b: 'settlement_bookings',
  ca: 'current_auctions',
  p: 'fee_policies',
  np: 'auction_prices',
  n: 'notifications',
  af: 'affiliates',
  d: 'app_data',
  tk: 'tokens',
  cp: 'checkpoints',
  quotes: 'quotes',
  hc: 'hook_calls',
  m: 'mirrored_orders',
  ob: 'order_books',
  g: 'programmatic_orders',
  lp: 'programmatic_orders',
  pc: 'programmatic_creations',
  pp: 'programmatic_parts',
  sh: 'sheds',
}

/** Rows that a statement builds, of no table. */
const computed = new Set(['pf', 'ne', 'nt', 'ts', 'tok', 'k', 'i', 'ac', 'side', 'e', 'hk', 'hp', 'dh'])

/** Columns without a description, with the reason. */
const undescribed: Record<string, string> = {
  'order_books.notified_from': 'where notifications begin',
  'mirrored_orders.presigned': 'a part of orders.presigned',
  'notifications.improved_by': 'which of two notifications a channel gets',
  'mirrored_orders.are_fees_due': 'what the follower reads next',
  'order_books.newest_competition': 'where the follower looks for competitions that it missed',
  'order_books.quote_calls_at': 'the budget of calls',
  'order_books.submission_calls_at': 'the budget of calls',
  'settlements.solver_tries': 'how long the search for a solver pauses',
  'checkpoints.solvers_from': 'which changes of the list of solvers are known: `storage/chain/solvers.ts`',
  'orders.changed_tx': 'only searched by: auctions follow orders by it',
  'orders.expired_at_block': 'only searched by: status at a time is computed from effective_valid_to',
  'solution_executions.policy_set_id': 'its policies are read from the view fee_policies',
  'settlement_attempts.reverted_block': 'says what a reorg takes back',
  'settlement_attempts.signed_transaction': 'what a process that takes over needs, while it is pending',
  'settlement_attempts.cancellation_hashes': 'what the indexer looks up to say what a cancellation cost',
  'settlement_attempts.failure_cause': 'decides which orders and tokens gas of failures counts for',
  'order_standings.chain_id': 'only searched by',
  'order_standings.policy_share': 'read for diagnoses: `storage/order/diagnosis-rows.ts`',
  'order_standings.allowance': 'read for diagnoses: `storage/order/diagnosis-rows.ts`',
  'order_standings.unpriced': 'read for diagnoses: `storage/order/diagnosis-rows.ts`',
  'order_standings.best_sell': 'read for diagnoses: `storage/order/diagnosis-rows.ts`',
  'order_standings.best_buy': 'read for diagnoses: `storage/order/diagnosis-rows.ts`',
  'order_standings.best_block': 'read for diagnoses: `storage/order/diagnosis-rows.ts`',
  'order_standings.best_at': 'read for diagnoses: `storage/order/diagnosis-rows.ts`',
  'order_standings.is_short': 'decides on notifications',
  'order_standings.short_at': 'decides on notifications',
  'order_standings.shortages': 'decides on notifications',
  'notifications.cause': 'makes a notification one for its cause',
  'notifications.block_number': 'says what a reorg takes back',
  'notifications.detached': 'says what a reorg took back',
  'checkpoints.updated_at': 'for operators',
  'affiliates.digest': 'makes a signed message good for one use',
  'affiliates.signed_message': 'kept as evidence of what was signed',
  'app_data.created_at': 'for operators',
  'app_data.client': 'counts unused documents of a client: `storage/app-data.ts`',
  'app_data.expires_at': 'removes unused documents: `storage/retention/sweep.ts`',
  'schema_floors.migration': 'says which versions may run',
  'schema_floors.needs': 'says which versions may run',
  'hook_calls.target': 'the hook of the order has it',
  'hook_calls.tries': 'how often its trace was requested',
  'mirrored_orders.executed_fee_token': 'copied to orders',
  'mirrored_orders.traded_at': 'decides how long an order is compared',
  'mirrored_orders.signature_read_at': 'decides when a signature is checked again',
  'mirrored_orders.requested_at': 'removes unused orders: `storage/retention/expired-rows.ts`',
  'app_data.app_code': 'copied to orders',
  'app_data.referrer_code': 'copied to orders',
  'tokens.block': 'says what a reorg takes back',
  'tokens.rank': 'the order of lists: `rankTokens`',
  'quotes.metadata': 'read beside the row: `storage/quote/quotes.ts`',
  'quotes.reply': 'read beside the row: `storage/quote/quotes.ts`',
  'quotes.from_account': 'only searched by',
  'quotes.receiver': 'only searched by',
  'quotes.app_data': 'only searched by',
  'programmatic_orders.poll_repeats': 'decides on the pause before the next poll',
  'programmatic_orders.poll_failures': 'decides on the rank of the next poll',
  'programmatic_orders.by_root': 'decides whether a poll has the proof',
  'programmatic_parts.next_look': 'decides when the signature is compared with the contract',
  'programmatic_orders.next_look': 'decides when the contract is read again',
  'programmatic_orders.closed_through': 'decides which parts are notified',
  'programmatic_orders.prior_polled_at': 'the reason in notifications of failed parts',
  'programmatic_orders.prior_result': 'the same',
  'programmatic_orders.prior_reason': 'the same',
  'sheds.tx_hash': 'kept as evidence of the proxy',
}

/** Nullable plain columns that are read as not null, with the condition. */
const neverNull: Record<string, string> = {
  'programmatic_orders.polled_at': 'in the last poll of an order that has one',
  'programmatic_orders.polled_block': 'in the same',
  'programmatic_orders.poll_result': 'in the same',
  'solutions.reference_score': 'in the reference scores of a competition, whose rows have one',
  'solutions.refusal': 'in the refusal of a solution that has one',
  'solutions.refusal_message': 'in the same',
}

/** The types that a codec of this type can read and write. */
const fitting: Record<string, readonly string[]> = {
  bytea: ['bytea'],
  numeric: ['numeric'],
  int8: ['int8', 'int4'],
  int4: ['int4'],
  text: ['text'],
  bool: ['bool'],
  timestamptz: ['timestamptz'],
  jsonb: ['jsonb'],
}

const schema = readSchema()
const { fields, sql } = await described('models', 'bodies', 'quote')

/** `table.column` for each column that a piece of SQL names. */
function namedIn(text: string): string[] {
  const own = new Map(
    [...text.matchAll(/\b([a-z_]+) (?:AS )?([a-z]+)\b/g)].flatMap(([, table = '', alias = '']) =>
      schema.has(table) ? [[alias, table] as const] : [],
    ),
  )
  return [...text.matchAll(/\b([a-z]+)\.([a-z_]+)\b/g)].flatMap(([, alias = '', column]) => {
    const table = own.get(alias) ?? aliases[alias]
    return table ? [`${table}.${column}`] : []
  })
}

const named = new Set([...sql.keys()].flatMap(namedIn))

/** Fields that are one column each: their codec and their place. */
const columns = [...fields].flatMap(([field, place]) => {
  const text = typeof field.sql === 'string' ? field.sql : ''
  const [, alias = ''] = text.match(/\b([a-z]+)\.[a-z_]+/) ?? []
  return field.column === undefined || computed.has(alias) ? [] : [{ field, place, alias, text }]
})

describe.each([...new Set(Object.values(aliases))])('%s', (table) => {
  const names = [...(schema.get(table)?.keys() ?? [])].map((name) => `${table}.${name}`)

  test('every column is described, or listed here with the reason', () => {
    expect(names.length).toBeGreaterThan(0)
    expect(names.filter((name) => !named.has(name) && !(name in undescribed))).toEqual([])
  })

  test('every column listed here exists, and has no description', () => {
    const listed = Object.keys(undescribed).filter((name) => name.startsWith(`${table}.`))
    expect(listed.filter((name) => !names.includes(name) || named.has(name))).toEqual([])
  })
})

test('every column of a description is in the schema, with a matching type', () => {
  expect(columns.length).toBeGreaterThan(100)
  const faults = columns.flatMap(({ field, place, alias }) => {
    const table = aliases[alias] ?? ''
    const column = schema.get(table)?.get(field.column ?? '')
    if (!column) return [`${place}: there is no ${alias}.${field.column}`]
    return fitting[field.codec.column]?.includes(column.type)
      ? []
      : [`${place}: ${table}.${field.column} is ${column.type}, read as ${field.codec.column}`]
  })
  expect(faults).toEqual([])
})

test('a nullable column is read as nullable', () => {
  const faults = columns.flatMap(({ field, place, alias, text }) => {
    const name = `${aliases[alias]}.${field.column}`
    const isBare = text === `${alias}.${field.column}`
    const mayBeNull = schema.get(aliases[alias] ?? '')?.get(field.column ?? '')?.nullable
    return isBare && mayBeNull && !field.nullable && !(name in neverNull) ? [`${place}: ${name}`] : []
  })
  expect(faults).toEqual([])
})
