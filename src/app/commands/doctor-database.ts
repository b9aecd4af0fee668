import { Client } from 'pg'
import { type Access, probeAccess } from '../../storage/database/connections/pooler.ts'
import { findPendingMigrations } from '../../storage/database/migrations.ts'
import type { Settings } from '../settings.ts'
import { type Check, failed, faultText, passed, warned } from './doctor-check.ts'

const timeoutMs = 5_000
const minVersion = 13
const greatestDriftMs = 1_000

interface Facts {
  version: string
  number: number
  isReadOnly: boolean
  mayCreate: boolean
  free: number
  at: Date
}

const facts = `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int / 10000 AS number,
  current_setting('transaction_read_only')::bool OR pg_is_in_recovery() AS "isReadOnly", has_schema_privilege('public', 'CREATE') AS "mayCreate",
  current_setting('max_connections')::int - (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS free,
  clock_timestamp() AS at`

export async function checkDatabases(settings: Settings): Promise<Check[]> {
  const { DATABASE_URL: url, DATABASE_DIRECT_URL: direct, DATABASE_READ_URL: replica } = settings
  if (url === undefined)
    return [failed('database', 'DATABASE_URL is not set', 'name a PostgreSQL server with an empty database')]
  const access = await probe('DATABASE_URL', url)
  if ('about' in access) return [access]
  const checks = [...pooling(access, direct), ...(await checkPrimary(direct ?? url, settings))]
  if (replica !== undefined) checks.push(await checkReplica(replica, settings))
  return checks
}

async function probe(name: string, url: string): Promise<Access | Check> {
  return probeAccess(url).catch((fault) =>
    failed(
      'database',
      `${name} does not answer: ${faultText(fault)}`,
      'check the address, the password, and that PostgreSQL runs',
    ),
  )
}

function pooling({ isPooled, prepares }: Access, direct: string | undefined): Check[] {
  if (!isPooled) return []
  if (direct === undefined)
    return [
      failed(
        'pooler',
        'DATABASE_URL is a pooler',
        'name PostgreSQL itself in DATABASE_DIRECT_URL, for locks, LISTEN and migrations',
      ),
    ]
  return prepares
    ? [passed('pooler', 'keeps prepared statements')]
    : [
        warned(
          'pooler',
          'keeps no prepared statements',
          'reads are planned each time: PgBouncer from 1.21 on keeps them',
        ),
      ]
}

async function checkPrimary(url: string, settings: Settings): Promise<Check[]> {
  const read = await ask(url)
  if (!('version' in read))
    return [failed('database', `does not answer: ${read.fault}`, 'check the address and the password')]
  const { version, number, isReadOnly, mayCreate, free, at } = read
  const checks = [
    number < minVersion
      ? failed('database', `PostgreSQL ${version}`, `use PostgreSQL ${minVersion} or newer`)
      : passed('database', `PostgreSQL ${version}`),
  ]
  if (isReadOnly) checks.push(failed('database', 'takes no writes', 'name the primary, not a replica'))
  const drift = Math.abs(at.getTime() - Date.now())
  if (drift > greatestDriftMs)
    checks.push(
      warned('clock', `${(drift / 1_000).toFixed(1)} s apart from that of the database`, 'set both by NTP'),
    )
  const { DATABASE_CONNECTIONS, DATABASE_LOOP_CONNECTIONS, STREAMS_CONNECTIONS } = settings
  const need = DATABASE_CONNECTIONS + DATABASE_LOOP_CONNECTIONS + STREAMS_CONNECTIONS
  checks.push(
    free < need
      ? warned(
          'connections',
          `${free} are free, and one process takes up to ${need}`,
          'raise max_connections, or use a pooler',
        )
      : passed('connections', `${free} are free; one process takes up to ${need}`),
  )
  const schema = await checkSchema(url, mayCreate)
  return [...checks, schema, ...(schema.state === 'good' ? await checkSettlements(url) : [])]
}

/** Settlements that the indexer has stored by their logs alone. */
async function checkSettlements(url: string): Promise<Check[]> {
  const text = `SELECT count(*)::int AS count, coalesce(min(block_number), 0)::text AS block FROM settlements WHERE is_unread`
  const read = await ask<{ count: number; block: string }>(url, text)
  if ('fault' in read || read.count === 0) return []
  return [
    warned(
      'settlements',
      `${read.count} have transactions that no node knows, the first in block ${read.block}`,
      'add a node that keeps old transactions to rpcUrl: they are completed as soon as one knows them',
    ),
  ]
}

async function checkSchema(url: string, mayCreate: boolean): Promise<Check> {
  try {
    const pending = await findPendingMigrations(url)
    if (pending.length === 0) return passed('schema', 'is that of this version')
    const says = `${pending.length} migrations are pending`
    return mayCreate
      ? warned(
          'schema',
          says,
          'run `tradegraph migrate`; a start does it too, unless MIGRATE_AT_START is false',
        )
      : failed(
          'schema',
          `${says}, and this user may not create tables`,
          'run `tradegraph migrate` as the owner',
        )
  } catch (fault) {
    return failed('schema', faultText(fault), 'run the version that this database belongs to, or a newer one')
  }
}

async function checkReplica(url: string, { DATABASE_READ_MAX_LAG_MS: max }: Settings): Promise<Check> {
  const read = await ask<{ standby: boolean; lag: number }>(
    url,
    `SELECT pg_is_in_recovery() AS standby,
    coalesce(extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()) * 1000, 0)::float8 AS lag`,
  )
  if ('fault' in read)
    return warned('replica', `does not answer: ${read.fault}`, 'reads go to the primary until it does')
  const { standby, lag } = read
  if (!standby)
    return warned('replica', 'is a primary', 'name a replica in DATABASE_READ_URL, or leave it out')
  return lag > max
    ? warned(
        'replica',
        `its last transaction is ${Math.round(lag)} ms old`,
        'where the primary is busy it is behind, and reads go there',
      )
    : passed('replica', `its last transaction is ${Math.round(lag)} ms old`)
}

async function ask<Row extends object = Facts>(url: string, text = facts): Promise<Row | { fault: string }> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<Row>(text)
    return rows[0] ?? { fault: 'no answer' }
  } catch (fault) {
    return { fault: faultText(fault) }
  } finally {
    await client.end().catch(() => {})
  }
}
