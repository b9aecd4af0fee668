import { setTimeout as pause } from 'node:timers/promises'
import type { Clock, Log } from '../../domain/log.ts'
import type { PoolPlace } from '../../domain/routing/pool.ts'
import type { Database } from '../../storage/database/database.ts'
import { noteUsedPools } from '../../storage/token/pools/followed.ts'

export interface NoteOptions {
  db: Database
  chainId: number
  takeUsed(): readonly PoolPlace[]
  /** Pools that are followed. */
  most: number
  now: Clock
  log: Log
}

const intervalMs = 1_000

/** Stores which pools quotes and auctions of this process use, until `signal` aborts. Never throws. */
export async function noteUsed(
  { db, chainId, takeUsed, most, now, log }: NoteOptions,
  signal: AbortSignal,
): Promise<void> {
  let used: readonly PoolPlace[] = []
  while (!signal.aborted) {
    used = used.length > 0 ? used : takeUsed()
    try {
      if (used.length > 0) await noteUsedPools(db, chainId, used, { at: new Date(now()), most })
      used = []
    } catch (fault) {
      log.warn('used pools were not stored', { chainId, fault: String(fault) })
    }
    await pause(intervalMs, undefined, { signal, ref: false }).catch(() => undefined)
  }
}
