import { LRUCache } from 'lru-cache'
import { Refusal } from '../../domain/errors/error.ts'
import type { Clock } from '../../domain/log.ts'
import { type Allowance, fullAfter, fullAfterUse, heldDown, waitMs } from './bucket.ts'
import { type Charge, type LimitedKind, limitedKinds, noCharge } from './charge.ts'

/** Of one client; 0 is no limit. */
export interface Rates {
  /** Cost units a second. */
  reads: number
  /** A second. */
  quotes: number
  /** A second. */
  orders: number
  /** New documents a minute; no limit when left out. */
  introspections?: number
}

/** What a client may do at once: as much as in this many seconds. */
const burstSeconds: Readonly<Record<LimitedKind, number>> = {
  reads: 2,
  quotes: 2,
  orders: 2,
  introspections: 60,
}

/**
 * The idlest are forgotten first: who did nothing for as long as it takes to push out this many has full
 * buckets again.
 */
const maxClients = 50_000

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
  /** The most units that may be held back for one request until its answer is known; 0 without a limit. */
  maxReserved: number
  /**
   * Counts a request of a client, all of it or nothing. `undefined` when it is in nothing that is limited.
   * @param held of the same request was counted before
   */
  take(client: string, charge: Charge, held?: Charge): Verdict | undefined
  /** Counts units that a request used beside its charge, or gives back those that it did not use. */
  settle(client: string, charge: Charge, more: number): Verdict | undefined
}

interface Limit {
  kind: LimitedKind
  allowance: Allowance
  policy: string
}

type Buckets = Record<LimitedKind, number>

const full = Number.NEGATIVE_INFINITY

/** Token buckets for each client of this process. */
export function createRateLimits(rates: Rates, now: Clock, most = maxClients): RateLimits {
  const limits = limitsOf(rates)
  const reads = limits.find(({ kind }) => kind === 'reads')
  const clients = new LRUCache<string, Buckets>({
    max: most,
    memoMethod: () => ({ reads: full, quotes: full, orders: full, introspections: full }),
  })
  const origin = now()

  /** Of the kinds that a request counts in. */
  function verdictOf(buckets: Buckets, charge: Charge, at: number): Verdict | undefined {
    const counted = limits.filter(({ kind }) => charge[kind] > 0)
    if (counted.length === 0) return undefined
    return {
      refusal: undefined,
      over: undefined,
      policy: counted.map(({ policy }) => policy).join(', '),
      state: counted.map(({ kind, allowance }) => stateOf(kind, buckets[kind], allowance, at)).join(', '),
    }
  }

  return {
    // As much again is left for what the client asks in the meantime.
    maxReserved: reads ? Math.max(1, Math.floor(reads.allowance.burst / 2)) : 0,

    take(client, charge, held = noCharge) {
      const at = now() - origin
      const buckets = clients.memo(client)
      let over: Limit | undefined
      let longest = 0
      for (const limit of limits) {
        const { kind, allowance } = limit
        const more = charge[kind] - held[kind]
        if (more <= 0) continue
        const wait =
          charge[kind] > allowance.burst
            ? Number.POSITIVE_INFINITY
            : waitMs(fullAfter(buckets[kind], more, allowance, at), allowance, at)
        if (wait <= longest) continue
        longest = wait
        over = limit
      }
      if (over) {
        const refusal = refusalOf(over, charge[over.kind], longest)
        const verdict = verdictOf(buckets, charge, at)
        return verdict && { ...verdict, refusal, over: over.kind }
      }
      for (const { kind, allowance } of limits) {
        const more = charge[kind] - held[kind]
        if (more !== 0) buckets[kind] = fullAfter(buckets[kind], more, allowance, at)
      }
      return verdictOf(buckets, charge, at)
    },

    settle(client, charge, more) {
      const at = now() - origin
      const buckets = clients.memo(client)
      if (reads) buckets.reads = fullAfterUse(buckets.reads, more, reads.allowance, at)
      return verdictOf(buckets, charge, at)
    },
  }
}

function limitsOf(rates: Rates): Limit[] {
  return limitedKinds.flatMap((kind) => {
    const given = rates[kind] ?? 0
    if (given === 0) return []
    const seconds = burstSeconds[kind]
    const rate = kind === 'introspections' ? given / 60 : given
    const burst = kind === 'introspections' ? given : given * seconds
    const isUnits = kind === 'reads'
    return [
      {
        kind,
        allowance: { rate, burst, ...(isUnits && { debt: burst }) },
        policy: `"${kind}";q=${burst};w=${seconds}${isUnits ? ';qu="cost-units"' : ''}`,
      },
    ]
  })
}

const named: Readonly<Record<LimitedKind, string>> = {
  reads: 'cost units',
  quotes: 'quotes',
  orders: 'order submissions',
  introspections: 'introspection documents that were not asked before',
}

function refusalOf({ kind, allowance: { rate, burst } }: Limit, amount: number, wait: number): Refusal {
  if (amount > burst) {
    return new Refusal(
      'QueryTooComplex',
      `this operation counts as ${amount} ${named[kind]}, and nobody has more than ${burst} at once: ask in smaller operations`,
      { data: { limit: kind } },
    )
  }
  const retryAfterMs = Math.ceil(wait)
  const allowed =
    kind === 'introspections' ? `${burst} ${named[kind]} a minute` : `${rate} ${named[kind]} a second`
  return new Refusal('RateLimited', `over ${allowed}: wait ${Math.ceil(retryAfterMs / 1_000)} s`, {
    data: { limit: kind, retryAfterMs },
  })
}

/** What is left, and the seconds until nothing is missing. */
function stateOf(kind: LimitedKind, fullAt: number, allowance: Allowance, now: number): string {
  const seconds = Math.max(0, Math.ceil((fullAt - now) / 1_000))
  return `"${kind}";r=${heldDown(fullAt, allowance, now)};t=${seconds}`
}
