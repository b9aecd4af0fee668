import type { Clock, Log } from '../../domain/log.ts'
import { createTokenLists } from '../../market/token-lists.ts'
import type { Database } from '../../storage/database/database.ts'
import type { Signals } from '../../storage/database/signals.ts'
import { createBalanceSessions } from '../../tokens/watch/sessions.ts'
import type { Settings } from '../settings.ts'

interface Parts {
  db: Database
  signals: Signals
  settings: Pick<Settings, 'TOKEN_LISTS'>
  now: Clock
  log: Log
}

/** Sessions of balances, and the token lists that they may name. */
export function composeBalanceSessions({ db, signals, settings, now, log }: Parts) {
  return {
    balanceSessions: createBalanceSessions({ db, signals, now, log }),
    tokenLists: createTokenLists({ allowed: settings.TOKEN_LISTS, now, log }),
  }
}
