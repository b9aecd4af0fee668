import { randomBytes } from 'node:crypto'
import { hashMessage } from 'ethers'
import { SiweMessage } from 'siwe'
import { type CheckAccountSignature, notSignedBy } from '../chain/order/contract-signature.ts'
import { dateTime, described, text, type ValueOf } from '../domain/described.ts'
import { Refusal } from '../domain/errors/error.ts'
import { type Address, address } from '../domain/evm/address.ts'
import type { GasMeter } from '../domain/evm/gas-meter.ts'
import type { Bytes32, Hex } from '../domain/evm/hex.ts'
import type { Clock } from '../domain/log.ts'
import { sha256 } from '../domain/text/digest.ts'
import type { Database, Db } from '../storage/database/database.ts'
import {
  deleteSessions,
  findSession,
  hasNonce,
  insertNonce,
  insertSession,
  takeNonce,
} from '../storage/sign-in-sessions.ts'

export interface SignInServices {
  db: Database
  now: Clock
  /** The URL of the service for people; messages name its site. No account can sign in without it. */
  publicUrl: URL | undefined
  /**
   * Returns the signature check of a served network. Contract wallets are asked on the network that the
   * message names.
   */
  checkSignature(chainId: number): CheckAccountSignature | undefined
  sessionMs: number
}

export const signInChallenge = described(
  'SignInChallengePayload',
  'Contents of a message that proves an account (EIP-4361).',
  {
    nonce: text('Works once.'),
    domain: text('The message’s domain.'),
    uri: text('The message’s URI.'),
    expiresAt: dateTime('The end of the nonce.'),
  },
)
type SignInChallenge = ValueOf<typeof signInChallenge>

export const openedSession = described('SignInPayload', 'Proof of an account, for some time.', {
  token: text('Sent as Authorization: Bearer …. Shown once.'),
  expiresAt: dateTime('The end of the session.'),
})

export interface OpenedSession extends ValueOf<typeof openedSession> {
  account: Address
}

/** The time limit for signing. */
export const nonceMs = 600_000
/** The tolerance for clients' clocks that run ahead. */
const clockSkewMs = 60_000
/** The maximum number of sessions of an account; the oldest ones end. */
const maxSessions = 20
/** The beginning of each session's token. */
export const tokenPrefix = 'tgs_'

/** Names of the own machine. A public URL with one of them stands for both: a browser may open either. */
const loopbackNames = ['127.0.0.1', 'localhost']

/** The sites of the service's own pages: the public URL, then the same under the other loopback name. */
export function ownSites(publicUrl: URL): [URL, ...URL[]] {
  if (!loopbackNames.includes(publicUrl.hostname)) return [publicUrl]
  const others = loopbackNames.filter((name) => name !== publicUrl.hostname)
  return [publicUrl, ...others.map((name) => Object.assign(new URL(publicUrl), { hostname: name }))]
}

/**
 * Creates a challenge for the site of the requesting page if that is an own site, else for the public URL.
 * @param pageOrigin from the header `Origin`
 * @throws Refusal FeatureDisabled
 */
export async function createSignInChallenge(
  { db, now, publicUrl }: SignInServices,
  pageOrigin?: string,
): Promise<SignInChallenge> {
  const [first, ...others] = sitesOf(publicUrl)
  const { host, origin } = others.find((site) => site.origin === pageOrigin) ?? first
  const nonce = randomBytes(16).toString('hex')
  const expiresAt = new Date(now() + nonceMs)
  await insertNonce(db, nonce, expiresAt)
  return { nonce, domain: host, uri: origin, expiresAt }
}

/**
 * Opens a session for the account that signed the message (EIP-4361). A nonce works once, even with
 * concurrent requests. A message that is refused for its text or signature does not use up the nonce.
 * @param meter counts the gas of a contract wallet
 * @throws Outage; Refusal FeatureDisabled, RateLimited, InvalidSignIn with the member at fault in
 *   `data.reason`
 */
export async function signIn(
  { message, signature }: { message: string; signature: Hex },
  { db, now, publicUrl, checkSignature, sessionMs }: SignInServices,
  meter?: GasMeter,
): Promise<OpenedSession> {
  const sites = sitesOf(publicUrl)
  const parsed = parseMessage(message)
  checkMessage(parsed, sites.find(({ host }) => host === parsed.domain) ?? sites[0], now())
  const check = checkSignature(parsed.chainId)
  if (!check) throw refused('chainId', 'the chain is not served here')
  // Checked before a wallet is called, so that an unknown nonce costs the node nothing.
  if (!(await hasNonce(db, parsed.nonce, new Date(now())))) throw unknownNonce()
  const account = address(parsed.address)
  const fault = await notSignedBy(account, hashMessage(message) as Bytes32, signature, check, meter)
  if (fault)
    throw new Refusal('InvalidSignIn', 'the signature is not the account’s for this message', {
      field: 'signature',
      data: fault,
    })
  const token = `${tokenPrefix}${randomBytes(32).toString('base64url')}`
  const at = new Date(now())
  const expiresAt = new Date(now() + sessionMs)
  await db.transaction(async (tx) => {
    if (!(await takeNonce(tx, parsed.nonce, at))) throw unknownNonce()
    await insertSession(tx, { tokenHash: sha256(token), account, createdAt: at, expiresAt }, maxSessions)
  })
  return { token, account, expiresAt }
}

/** Ends a session. @returns whether it was open */
export async function signOut(db: Db, token: string | undefined): Promise<boolean> {
  return token?.startsWith(tokenPrefix) ? (await deleteSessions(db, { tokenHash: sha256(token) })) > 0 : false
}

/** Ends all sessions of an account. @returns their number */
export function signOutEverywhere(db: Db, account: Address): Promise<number> {
  return deleteSessions(db, { account })
}

/** The account whose open session has this token. */
export async function accountOfSession(
  db: Db,
  token: string | undefined,
  now: number,
): Promise<Address | undefined> {
  return token?.startsWith(tokenPrefix) ? await findSession(db, sha256(token), new Date(now)) : undefined
}

function sitesOf(publicUrl: URL | undefined): [URL, ...URL[]] {
  if (!publicUrl) throw new Refusal('FeatureDisabled', 'this needs the setting PUBLIC_URL')
  return ownSites(publicUrl)
}

function parseMessage(message: string): SiweMessage {
  try {
    return new SiweMessage(message)
  } catch (fault) {
    if (/EIP-55/.test(String(fault)))
      throw refused(
        'address',
        'the address in the message must have its EIP-55 checksum, by upper and lower case',
      )
    throw refused('message', 'the message does not follow EIP-4361')
  }
}

function checkMessage(message: SiweMessage, { host, origin, protocol }: URL, now: number): void {
  const { scheme, domain, uri, issuedAt, notBefore, expirationTime } = message
  if (domain !== host) throw refused('domain', `the message is for another domain than ${host}`)
  if (scheme && `${scheme.toLowerCase()}:` !== protocol)
    throw refused('scheme', `the message has another scheme before the domain than ${protocol}//`)
  const url = URL.canParse(uri) ? new URL(uri) : undefined
  if (url?.origin !== origin) throw refused('uri', `the message is for another URI than ${origin}`)
  if (url.username || url.password) throw refused('uri', 'the URI of the message has a user before the host')
  const time = (text: string | undefined) => (text === undefined ? undefined : Date.parse(text))
  const issued = time(issuedAt) ?? Number.NaN
  if (!(issued <= now + clockSkewMs)) throw refused('issuedAt', 'the message was issued in the future')
  if (!(issued >= now - nonceMs)) throw refused('issuedAt', 'the message is too old')
  if (!((time(notBefore) ?? 0) <= now + clockSkewMs))
    throw refused('notBefore', 'the message is not valid yet')
  if (!((time(expirationTime) ?? Number.POSITIVE_INFINITY) > now))
    throw refused('expirationTime', 'the message has expired')
}

const unknownNonce = () => refused('nonce', 'the nonce is unknown, used or expired')

function refused(reason: string, description: string): Refusal {
  return new Refusal('InvalidSignIn', description, { field: 'message', data: { reason } })
}
