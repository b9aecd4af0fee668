import type { Db } from '../database/database.ts'
import { readBeside } from '../database/prepared.ts'

/** Transactions that wait in their commit for their places in feeds, and for how long the first of them does. */
export interface WaitingCommits {
  count: number
  longestSeconds: number
}

/** The number of the lock is in the function `lock_feeds`. */
const statement = `SELECT count(*), coalesce(extract(epoch FROM max(clock_timestamp() - waitstart)), 0) FROM pg_locks
  WHERE locktype = 'advisory' AND NOT granted AND classid::bigint << 32 | objid::bigint = 7146032915 AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

/** @throws Outage */
export async function readWaitingCommits(db: Db): Promise<WaitingCommits> {
  const [[count, seconds] = ['0', '0']] = await readBeside<[string, string]>(db, statement, [])
  return { count: Number(count), longestSeconds: Number(seconds) }
}
