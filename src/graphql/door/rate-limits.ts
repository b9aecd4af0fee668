import { Refusal } from '../../domain/error.ts'
import type { Clock } from '../../domain/log.ts'
import { type Allowance, fullAfter, heldDown, waitMs } from './bucket.ts'
import { type Charge, type LimitedKind, limitedKinds } from './charge.ts'

/** Per second and client; 0 is no limit. */
export type RatesPerSecond = Readonly<Record<LimitedKind, number>>

/** What a client may do at once: as much as in this many seconds. */
const burstSeconds = 2

/**
 * The idlest are forgotten first: who did nothing for as long as it takes to push out this many has full
 * buckets again.
 */
const mostClients = 50_000

export interface Verdict {
  /** Why not, when there is too much of something; nothing is counted then. */
  refusal: Refusal | undefined
  /** What it is too much of. */
  over: LimitedKind | undefined
  /** Values of the headers `RateLimit-Policy` and `RateLimit`. */
  policy: string
  state: string
}

export interface RateLimits {
  /**
   * Counts a request of a client, all of it or nothing. `undefined` when it is in nothing that is limited.
   */
  take(client: string, charge: Charge): Verdict | undefined
}

const full = Number.NEGATIVE_INFINITY

type Buckets = Record<LimitedKind, number>

const named: Record<LimitedKind, string> = { reads: 'reads', quotes: 'quotes', orders: 'order submissions' }

/** Token buckets for each client of this process. */
export function createRateLimits(rates: RatesPerSecond, now: Clock, most = mostClients): RateLimits {
  const limits = limitedKinds
    .filter((kind) => rates[kind] > 0)
    .map((kind) => {
      const allowance: Allowance = { rate: rates[kind], burst: rates[kind] * burstSeconds }
      return { kind, allowance, policy: `"${kind}";q=${allowance.burst};w=${burstSeconds}` }
    })
  const clients = new Map<string, Buckets>()
  const origin = now()

  function bucketsOf(client: string): Buckets {
    const known = clients.get(client)
    if (known) clients.delete(client)
    const buckets = known ?? { reads: full, quotes: full, orders: full }
    clients.set(client, buckets)
    if (clients.size > most) {
      const [idlest = client] = clients.keys()
      clients.delete(idlest)
    }
    return buckets
  }

  return {
    take(client, charge) {
      const at = now() - origin
      const buckets = bucketsOf(client)
      let refusal: Refusal | undefined
      let over: LimitedKind | undefined
      let longest = 0
      for (const { kind, allowance } of limits) {
        if (charge[kind] === 0) continue
        const wait = waitMs(fullAfter(buckets[kind], charge[kind], allowance, at), allowance, at)
        if (wait <= longest) continue
        longest = wait
        over = kind
        refusal = refusalOf(kind, charge[kind], allowance, wait)
      }
      let policies = ''
      let state = ''
      for (const { kind, allowance, policy } of limits) {
        if (charge[kind] === 0) continue
        if (!over) buckets[kind] = fullAfter(buckets[kind], charge[kind], allowance, at)
        const separator = policies === '' ? '' : ', '
        policies += separator + policy
        state += separator + stateOf(kind, buckets[kind], allowance, at)
      }
      return policies === '' ? undefined : { refusal, over, policy: policies, state }
    },
  }
}

function refusalOf(kind: LimitedKind, amount: number, { rate, burst }: Allowance, wait: number): Refusal {
  if (amount > burst) {
    return new Refusal(
      'QueryTooComplex',
      `this operation counts as ${amount} ${named[kind]}, and nobody has more than ${burst} at once: ask in smaller operations`,
      { data: { limit: kind } },
    )
  }
  const retryAfterMs = Math.ceil(wait)
  return new Refusal(
    'RateLimited',
    `over ${rate} ${named[kind]} a second: wait ${Math.ceil(retryAfterMs / 1_000)} s`,
    {
      data: { limit: kind, retryAfterMs },
    },
  )
}

/** What is left, and the seconds until nothing is missing. */
function stateOf(kind: LimitedKind, fullAt: number, allowance: Allowance, now: number): string {
  const seconds = Math.max(0, Math.ceil((fullAt - now) / 1_000))
  return `"${kind}";r=${heldDown(fullAt, allowance, now)};t=${seconds}`
}
