import { accountOfSession } from '../../accounts/sign-in.ts'
import { Refusal } from '../../domain/errors/error.ts'
import type { RefusalCode } from '../../domain/errors/refusal-codes.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Clock } from '../../domain/log.ts'
import type { Db } from '../../storage/database/database.ts'
import { type Featured, requireFeature } from './features.ts'
import { requireOperator } from './operator.ts'

export const accessLevels = ['off', 'operator', 'public'] as const
/** Who may read something: none, the operator, or all. */
export type Access = (typeof accessLevels)[number]

/** What settings permit. */
export interface AccessRules {
  /** What solvers are given at the moment. */
  currentAuction: Access
  /** Simulations of orders. */
  simulation: Access
}

const settingNames: Readonly<Record<keyof AccessRules, string>> = {
  currentAuction: 'CURRENT_AUCTION_ACCESS',
  simulation: 'SIMULATION_ACCESS',
}

interface Asking {
  access?: AccessRules
  apiKey: string | undefined
  isOperator?(apiKey: string | undefined): boolean
  /** Came over a path that only the operator reaches. */
  restricted?: boolean
}

/**
 * @param whenOff the code where it is off for all
 * @throws Refusal Unauthorized, `whenOff`
 */
export function requireAccess(
  name: keyof AccessRules,
  asking: Asking,
  whenOff: RefusalCode = 'FeatureDisabled',
): void {
  const level = asking.access?.[name] ?? 'public'
  if (level === 'off') throw new Refusal(whenOff, `this is off by the setting ${settingNames[name]}`)
  if (level === 'operator' && !asking.restricted) requireOperator(asking)
}

/** Whether `requireAccess` lets through. */
export function hasAccess(name: keyof AccessRules, asking: Asking): boolean {
  try {
    requireAccess(name, asking)
    return true
  } catch (fault) {
    if (fault instanceof Refusal) return false
    throw fault
  }
}

interface Session {
  db: Db
  now: Clock
  apiKey: string | undefined
  isEditor?(apiKey: string | undefined): boolean
  markPersonal?(): void
}

/**
 * Lets through who has a session of the account, and the content system.
 * @throws Outage; Refusal Unauthorized
 */
export async function requireAccount(
  { apiKey, isEditor, markPersonal, db, now }: Session,
  account: Address,
): Promise<void> {
  if (isEditor?.(apiKey) || (await accountOfSession(db, apiKey, now())) === account) return markPersonal?.()
  throw new Refusal('Unauthorized', 'send the token of a session of this account as Authorization: Bearer …')
}

/**
 * Lets through who manages an account's channels, where notifications are enabled.
 * @throws Outage; Refusal FeatureDisabled, Unauthorized
 */
export async function requireChannelsOf(asking: Session & Featured, account: Address): Promise<void> {
  requireFeature(asking, 'cms')
  await requireAccount(asking, account)
}
