import { createThrottledLog } from '../concurrency/throttled-log.ts'
import { Refusal } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Clock, Log } from '../domain/log.ts'
import { sha256 } from '../domain/text/digest.ts'
import type { Database } from '../storage/database/database.ts'
import type { Signals } from '../storage/database/signals.ts'
import {
  endSessionsAt,
  nameOf,
  putSession,
  type ReachedLimit,
  replaceTokens,
  type SessionKey,
  type SessionLimits,
  takeSession,
} from '../storage/token/balance-sessions.ts'

/**
 * The tokens of an owner that a client follows. The client names them once, and opens streams by the id that
 * it chose, at any process of the deployment; it may replace them while a stream is open.
 */
export interface BalanceSessions {
  /** Begins one, or replaces the tokens of the one with this id. @throws Refusal RateLimited, Unavailable */
  open(key: SessionKey, tokens: readonly Address[], client: string): Promise<void>
  /** @throws Refusal NotFound */
  replace(key: SessionKey, tokens: readonly Address[]): Promise<void>
  /** Keeps it until `signal` aborts. @throws Refusal NotFound */
  follow(key: SessionKey, signal: AbortSignal): Promise<FollowedSession>
  /** Sessions stay for a while: clients go on at another process. */
  close(): void
}

interface FollowedSession {
  /** The tokens, and a signal that aborts when others are in their place. */
  current(): { tokens: readonly Address[]; replaced: AbortSignal }
}

interface Follower {
  key: SessionKey
  tokens: readonly Address[]
  replacing: AbortController
}

interface BalanceSessionsOptions {
  db: Database
  signals: Pick<Signals, 'on'>
  now: Clock
  log: Log
}

/** The life of a session without a stream, in milliseconds. */
export const idleMs = 10_000
/**
 * The same where the process that holds its stream is gone, and how often a process says that it holds it.
 */
const leaseMs = 60_000
const renewMs = 20_000

const sessionLimits: SessionLimits = { perOwner: 5, perClient: 100, total: 20_000 }

const refusals: Record<ReachedLimit, ['RateLimited' | 'Unavailable', string]> = {
  perOwner: [
    'RateLimited',
    `a client has at most ${sessionLimits.perOwner} sessions of an owner: replace the tokens of one of them`,
  ],
  perClient: ['RateLimited', `a client has at most ${sessionLimits.perClient} sessions`],
  total: ['Unavailable', 'there are too many sessions at the moment: try again later'],
}

export function createBalanceSessions({ db, signals, now, log }: BalanceSessionsOptions): BalanceSessions {
  const followers = new Map<string, Set<Follower>>()
  const warn = createThrottledLog({ now, log })
  const from = (ms: number) => ({ now: new Date(now()), expiresAt: new Date(now() + ms) })
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  const stopListening = signals.on('balances', (name) => {
    for (const each of name === undefined ? [...followers.keys()] : [name]) attempt(() => readAgain(each))
  })

  /** Runs work that the next signal or renewal repeats if it fails. */
  function attempt(work: () => Promise<void>): void {
    work().catch((fault) => warn('sessions of balances are not up to date', { fault: String(fault) }))
  }

  async function readAgain(name: string): Promise<void> {
    const [first] = followers.get(name) ?? []
    const tokens = first && (await takeSession(db, first.key, from(leaseMs)))
    if (!tokens) return
    for (const follower of followers.get(name) ?? []) {
      if (isSame(follower.tokens, tokens)) continue
      const { replacing } = follower
      Object.assign(follower, { tokens, replacing: new AbortController() })
      replacing.abort()
    }
  }

  async function renew(): Promise<void> {
    const keys = [...followers.values()].flatMap(([follower]) => follower?.key ?? [])
    if (keys.length > 0) await endSessionsAt(db, keys, from(leaseMs).expiresAt)
  }

  function add(follower: Follower): void {
    const name = nameOf(follower.key)
    followers.set(name, (followers.get(name) ?? new Set()).add(follower))
    timer ??= setInterval(() => attempt(renew), renewMs).unref()
  }

  function remove(follower: Follower): void {
    const name = nameOf(follower.key)
    const others = followers.get(name)
    if (!others?.delete(follower) || others.size > 0) return
    followers.delete(name)
    if (followers.size === 0) {
      clearInterval(timer)
      timer = undefined
    }
    if (!isClosed) attempt(() => endSessionsAt(db, [follower.key], from(idleMs).expiresAt))
  }

  return {
    async open(key, tokens, clientAddress) {
      const client = sha256(clientAddress)
      const reached = await putSession(db, { ...key, tokens, client, ...from(idleMs) }, sessionLimits)
      if (!reached) return
      const [code, message] = refusals[reached]
      throw new Refusal(code, message, { data: { limit: 'sessions', retryAfterMs: idleMs } })
    },
    async replace(key, tokens) {
      if (!(await replaceTokens(db, key, { tokens, ...from(idleMs) }))) throw noSession()
    },
    async follow(key, signal) {
      const follower: Follower = { key, tokens: [], replacing: new AbortController() }
      // Before the reading: what is replaced meanwhile is not missed.
      add(follower)
      signal.addEventListener('abort', () => remove(follower), { once: true })
      try {
        const tokens = await takeSession(db, key, from(leaseMs))
        if (!tokens) throw noSession()
        // Others may have come with a signal already, which are later.
        if (follower.tokens.length === 0) follower.tokens = tokens
      } catch (fault) {
        remove(follower)
        throw fault
      }
      return { current: () => ({ tokens: follower.tokens, replaced: follower.replacing.signal }) }
    },
    close() {
      isClosed = true
      stopListening()
      clearInterval(timer)
    },
  }
}

function noSession(): Refusal {
  return new Refusal('NotFound', 'there is no such session, or it has ended: begin one with POST', {
    field: 'client_id',
  })
}

function isSame(one: readonly Address[], other: readonly Address[]): boolean {
  return one.length === other.length && one.every((token, index) => token === other[index])
}
