import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isPartnerKey } from '../../accounts/partners.ts'
import { accountOfSession, ownSites } from '../../accounts/sign-in.ts'
import { Refusal } from '../../domain/errors/error.ts'
import type { RefusalCode } from '../../domain/errors/refusal-codes.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Clock } from '../../domain/log.ts'
import { sha256 } from '../../domain/text/digest.ts'
import type { Partner } from '../../http/caller.ts'
import type { Db } from '../../storage/database/database.ts'

/** Parts of the service that settings enable. */
export interface Features {
  /** Notifications and affiliates. */
  cms: boolean
  /** Statistics of affiliates and traders. */
  statistics: boolean
}

const requiredSettings: Readonly<Record<keyof Features, string>> = {
  cms: 'this needs the settings CMS_ENABLED=true and CMS_API_KEY',
  statistics: 'this needs the setting DUNE_API_KEY or STATS_SOURCE=own',
}

interface Featured {
  features?: Features
}

/** @throws Refusal FeatureDisabled that names the settings */
export function requireFeature({ features }: Featured, name: keyof Features): void {
  if (features?.[name] === false) throw new Refusal('FeatureDisabled', requiredSettings[name])
}

/**
 * Reports if a request's key is the configured one; always false if none is configured. Compares hashes: the
 * time of the comparison reveals neither the length nor a prefix of the key.
 */
export function operatorCheck(key: string | undefined): (apiKey: string | undefined) => boolean {
  const expected = key === undefined ? undefined : sha256(key)
  return (apiKey) =>
    expected !== undefined && apiKey !== undefined && timingSafeEqual(expected, sha256(apiKey))
}

/** The key in `Authorization: Bearer …` or `X-API-Key`. */
export function apiKeyOf(headers: IncomingHttpHeaders): string | undefined {
  const bearer = headers.authorization && /^Bearer +(\S+)$/i.exec(headers.authorization)?.[1]
  const key = headers['x-api-key']
  return bearer || (Array.isArray(key) ? key[0] : key)
}

/**
 * Reads the key of a request as `apiKeyOf` does. Keys of the deployment and of partners count only from
 * programs and from the service's own pages: those of other origins may read every response. Without a public
 * URL, the own origin is that of the Host header.
 */
export function createKeyReader({
  isOperator,
  isEditor,
  signIn: { publicUrl },
}: KeyOwners & { signIn: { publicUrl: URL | undefined } }): (
  headers: IncomingHttpHeaders,
) => string | undefined {
  const ownOrigins = publicUrl && ownSites(publicUrl).map(({ origin }) => origin)
  const isOwn = (origin: string, host = '') =>
    ownOrigins
      ? ownOrigins.includes(origin)
      : URL.canParse(origin) && new URL(origin).host === host.toLowerCase()
  return (headers) => {
    const key = apiKeyOf(headers)
    const { origin, host } = headers
    if (key === undefined || origin === undefined || isOwn(origin, host)) return key
    return isOperator?.(key) || isEditor?.(key) || isPartnerKey(key) ? undefined : key
  }
}

interface KeyOwners {
  isOperator?(apiKey: string | undefined): boolean
  isEditor?(apiKey: string | undefined): boolean
}

/** A request, and whose key it may have. */
interface KeyedRequest extends KeyOwners {
  apiKey?: string | undefined
  markPersonal?(): void
}

/** The end of descriptions of fields for the operator. */
export const forOperator = 'For the operator: needs the key of the deployment as a bearer token or X-API-Key.'

/** @throws Refusal Unauthorized */
export function requireOperator({ apiKey, isOperator, markPersonal }: KeyedRequest): void {
  if (!isOperator?.(apiKey)) {
    throw new Refusal('Unauthorized', 'send the operator’s key as Authorization: Bearer … or X-API-Key')
  }
  markPersonal?.()
}

/** @throws Refusal Unauthorized */
export function requireEditor({ apiKey, isEditor, markPersonal }: KeyedRequest): void {
  if (!isEditor?.(apiKey)) {
    throw new Refusal(
      'Unauthorized',
      'send the key of the content system as Authorization: Bearer … or X-API-Key',
    )
  }
  markPersonal?.()
}

export const accessLevels = ['off', 'operator', 'public'] as const
/** Readers of something: none, the operator, or all. */
type Access = (typeof accessLevels)[number]

export const feedAccessLevels = ['off', 'operator', 'partners', 'public'] as const
/** Readers of a feed: partners and the operator, too. */
type FeedAccess = (typeof feedAccessLevels)[number]

/** Access that settings permit. */
export interface AccessRules {
  /** The auction that solvers have at the moment. */
  currentAuction: Access
  /** Simulations of orders. */
  simulation: Access
  /** The feed of the whole book, and lists by their changes. */
  bookFeed: FeedAccess
}

const settingNames: Readonly<Record<keyof AccessRules, string>> = {
  currentAuction: 'CURRENT_AUCTION_ACCESS',
  simulation: 'SIMULATION_ACCESS',
  bookFeed: 'BOOK_FEED_ACCESS',
}

interface AccessRequest {
  access?: AccessRules
  apiKey?: string | undefined
  isOperator?(apiKey: string | undefined): boolean
  partner?: Partner
  markPersonal?(): void
  /** Came over a path that only the operator reaches. */
  restricted?: boolean
}

/**
 * @param whenOff the code where it is off for all
 * @throws Refusal Unauthorized, `whenOff`
 */
export function requireAccess(
  name: keyof AccessRules,
  asking: AccessRequest,
  whenOff: RefusalCode = 'FeatureDisabled',
): void {
  const level = asking.access?.[name] ?? 'public'
  if (level === 'off') throw new Refusal(whenOff, `this is off by the setting ${settingNames[name]}`)
  if (asking.restricted) return
  if (level === 'operator') requireOperator(asking)
  if (level === 'partners') requirePartner(asking)
}

/** Lets through partners and the operator. @throws Refusal Unauthorized */
function requirePartner({ apiKey, isOperator, partner, markPersonal }: AccessRequest): void {
  if (!partner && !isOperator?.(apiKey)) {
    throw new Refusal('Unauthorized', 'send a partner’s key as Authorization: Bearer … or X-API-Key')
  }
  markPersonal?.()
}

/** Reports whether partners may read a feed. */
export const readsAsPartner = (level: FeedAccess): boolean => level === 'partners' || level === 'public'

/**
 * Lets through the operator, and partners who may read the book.
 * @returns the id of the partner; null for the operator
 * @throws Refusal Unauthorized
 */
export function requireFeedReader(asking: AccessRequest): string | null {
  const { access, apiKey, isOperator, partner, markPersonal } = asking
  const mayRead = partner !== undefined && readsAsPartner(access?.bookFeed ?? 'public')
  const reader = isOperator?.(apiKey) ? null : mayRead ? partner.id : undefined
  if (reader === undefined)
    throw new Refusal(
      'Unauthorized',
      'send the operator’s key, or that of a partner who may read the book, as Authorization: Bearer … or X-API-Key',
    )
  markPersonal?.()
  return reader
}

/** Reports whether `requireAccess` would pass. */
export function hasAccess(name: keyof AccessRules, asking: AccessRequest): boolean {
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
