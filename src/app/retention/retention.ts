import { whileLeading } from '../../storage/database/leadership.ts'
import { type RetentionOptions, runRetention } from '../../storage/retention/sweep.ts'
import type { Settings } from '../settings.ts'
import { retentionDays } from './retention-settings.ts'

interface RetentionParts extends Pick<RetentionOptions, 'db' | 'networks' | 'now' | 'log' | 'onRemoved'> {
  databaseUrl: string
  settings: Settings
}

/** One process removes old rows, of all networks. */
export function startRetention(
  { databaseUrl: url, settings, ...options }: RetentionParts,
  signal: AbortSignal,
): Promise<void> {
  const days = retentionDays(settings)
  return whileLeading({ url, name: 'retention', log: options.log, signal }, (leading) =>
    runRetention({ ...options, days }, leading),
  )
}
