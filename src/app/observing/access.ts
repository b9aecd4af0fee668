import { randomBytes } from 'node:crypto'
import type { Log } from '../../domain/log.ts'
import { type AccessLog, createAccessLog } from '../../server/access-log.ts'
import type { Settings } from '../settings.ts'

/** Undefined where the settings ask for none. */
export function accessLogOf({
  settings: { ACCESS_LOG, ACCESS_LOG_KEY },
  log,
}: {
  settings: Pick<Settings, 'ACCESS_LOG' | 'ACCESS_LOG_KEY'>
  log: Log
}): AccessLog | undefined {
  return ACCESS_LOG ? createAccessLog(log, ACCESS_LOG_KEY ?? randomBytes(32)) : undefined
}
