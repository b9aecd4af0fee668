import type { Log } from '../domain/log.ts'
import { failToConnect } from '../storage/database/connections/pool.ts'
import { type Access, directAccess, probeAccess } from '../storage/database/connections/pooler.ts'
import { type Database, openDatabase } from '../storage/database/database.ts'
import { ConfigError } from './config.ts'
import type { Settings } from './settings.ts'

interface Databases {
  /** Address of PostgreSQL itself: for locks of a session, LISTEN and migrations. */
  directUrl: string
  /** Connections for requests and streams. */
  db: Database
  /** Connections for loops: these and requests do not wait for each other. */
  loopDb: Database
  close(): Promise<void>
}

/** Longest wait of loops, which retry; their requests are worth more time. */
const loopWaitMs = 5_000

type DatabaseSettings = Pick<
  Settings,
  | 'DATABASE_DIRECT_URL'
  | 'DATABASE_READ_URL'
  | 'DATABASE_READ_MAX_LAG_MS'
  | 'DATABASE_CONNECTIONS'
  | 'DATABASE_LOOP_CONNECTIONS'
  | 'STREAMS_CONNECTIONS'
>

/** Opens pools that connect on first use. @throws ConfigError; when the primary does not answer */
export async function openDatabases(url: string, settings: DatabaseSettings, log: Log): Promise<Databases> {
  const found = await probe('DATABASE_URL', url)
  const { DATABASE_DIRECT_URL: directUrl = url } = settings
  checkDirect(directUrl === url ? found : await probe('DATABASE_DIRECT_URL', directUrl), directUrl !== url)
  // A separate address for sessions implies that DATABASE_URL offers no sessions.
  const access = directUrl === url ? found : { ...found, isPooled: true }
  if (access.isPooled && !access.prepares)
    log.warn('the pooler of DATABASE_URL keeps no prepared statements: reads are planned each time')
  const db = openDatabase({
    url,
    access,
    maxConnections: settings.DATABASE_CONNECTIONS,
    streamConnections: settings.STREAMS_CONNECTIONS,
    ...(settings.DATABASE_READ_URL !== undefined && {
      replica: {
        url: settings.DATABASE_READ_URL,
        access: await accessOfReplica(settings.DATABASE_READ_URL, log),
        maxLagMs: settings.DATABASE_READ_MAX_LAG_MS,
        log,
      },
    }),
  })
  const loopDb = openDatabase({
    name: 'loop-',
    url,
    access,
    maxConnections: settings.DATABASE_LOOP_CONNECTIONS,
    readConnections: 1,
    waitMs: loopWaitMs,
  })
  return {
    directUrl,
    db,
    loopDb,
    async close() {
      await Promise.all([db.close(), loopDb.close()])
    },
  }
}

/** Probes an address. @throws with the name of the setting */
function probe(name: string, url: string): Promise<Access> {
  return probeAccess(url).catch((fault) => failToConnect(fault, `the database of ${name}`))
}

/** @throws ConfigError if a session is needed and there is none */
export async function directUrlOf(url: string, isNamed: boolean): Promise<string> {
  checkDirect(await probeAccess(url), isNamed)
  return url
}

function checkDirect({ isPooled }: Access, isNamed: boolean): void {
  if (!isPooled) return
  const fault = isNamed ? 'is a pooler' : 'is needed, since DATABASE_URL is a pooler'
  throw new ConfigError([
    `DATABASE_DIRECT_URL: ${fault}: name PostgreSQL itself, for locks, LISTEN and migrations`,
  ])
}

/** Waits for an absent replica: until then it is treated as a pooler without prepared statements. */
function accessOfReplica(url: string, log: Log) {
  return probeAccess(url).catch((error) => {
    log.warn('the replica of DATABASE_READ_URL is away at the start', { error: String(error) })
    return { ...directAccess, isPooled: true, prepares: false }
  })
}
