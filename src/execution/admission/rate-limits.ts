import { createCommonUse, type SharedBudgets } from '../../concurrency/common-use.ts'
import { createLruCache } from '../../domain/derived.ts'
import { Refusal } from '../../domain/errors/error.ts'
import type { Clock } from '../../domain/log.ts'

/** The kinds that rate limits count. */
export const limitedKinds = ['reads', 'quotes', 'orders', 'introspections'] as const
export type LimitedKind = (typeof limitedKinds)[number]

/** Amount of each kind that a request counts as; reads in cost units. */
export type Charge = Readonly<Record<LimitedKind, number>>

export const noCharge: Charge = { reads: 0, quotes: 0, orders: 0, introspections: 0 }

/** The minimum that a request counts as, even if it is not executed. */
export const oneRead: Charge = { ...noCharge, reads: 1 }

/** A token bucket: `rate` per second, `burst` at once. */
export interface Allowance {
  rate: number
  burst: number
  /** How far below empty `fullAfterUse` may bring the bucket; 0 when left out. */
  debt?: number
}

/** Tolerance for rounding errors of times, which are sums of fractions. */
const slackMs = 0.01

/**
 * A bucket is one number: the time in milliseconds at which it is full again, `-Infinity` for an unused one.
 * @param amount negative to give units back
 * @returns that time after `amount` more was taken
 */
export function fullAfter(fullAt: number, amount: number, allowance: Allowance, now: number): number {
  // Clamped, so that a clock that was set back does not lock clients out.
  const from = Math.min(Math.max(fullAt, now), emptiestAt(allowance, now))
  return from + (amount * 1_000) / allowance.rate
}

/** The same for units that were used already: may bring the bucket into debt. */
export function fullAfterUse(fullAt: number, amount: number, allowance: Allowance, now: number): number {
  return Math.min(fullAfter(fullAt, amount, allowance, now), emptiestAt(allowance, now))
}

function emptiestAt({ rate, burst, debt = 0 }: Allowance, now: number): number {
  return now + ((burst + debt) * 1_000) / rate
}

/** Milliseconds until a bucket holds the amount that `fullAfter` took; 0 if it holds it now. */
export function waitMs(fullAt: number, { rate, burst }: Allowance, now: number): number {
  const wait = fullAt - now - (burst * 1_000) / rate
  return wait > slackMs ? wait : 0
}

/** Whole units that a bucket holds. */
export function heldDown(fullAt: number, { rate, burst }: Allowance, now: number): number {
  const missing = (Math.max(0, fullAt - now - slackMs) * rate) / 1_000
  return Math.max(0, Math.floor(burst - missing))
}

/** Limits of each client; 0 is no limit. */
export interface Rates {
  /** Cost units per second. */
  reads: number
  /** Per second. */
  quotes: number
  /** Per second. */
  orders: number
  /** New documents per minute; no limit when left out. */
  introspections?: number
}

/** A client's burst is its rate times this. */
const burstSeconds: Readonly<Record<LimitedKind, number>> = {
  reads: 2,
  quotes: 2,
  orders: 2,
  introspections: 60,
}

/**
 * Least recently seen clients are dropped first: their buckets are full again by the time this many others
 * came.
 */
const maxClients = 50_000

export interface Verdict {
  /** Set if a limit is exceeded; then no unit was counted. */
  refusal: Refusal | undefined
  exceededKind: LimitedKind | undefined
  /** Values of the headers `RateLimit-Policy` and `RateLimit`. */
  policy: string
  state: string
  /** Cost units that the client has left; undefined if reads have no limit. */
  left: number | undefined
}

export interface RateLimits {
  /** Maximum units to reserve for a request before its real use is known; 0 without a limit. */
  maxReserved(client: string): number
  /**
   * Counts a request of a client as a whole. Undefined if none of its kinds is limited.
   * @param counted charge of the same request that was counted before
   */
  take(client: string, charge: Charge, counted?: Charge): Verdict | undefined
  /**
   * Counts further units of a request, up to the burst in total, so that no size is refused forever.
   * @returns the refusal; then no unit was counted
   */
  takeMore(client: string, units: number, counted: number): Refusal | undefined
  /** Counts units that a request used beyond its charge, or gives back unused ones (negative). */
  settle(client: string, charge: Charge, units: number): Verdict | undefined
  /**
   * Counts units that a stream used.
   * @returns milliseconds until half of the burst is there, which streams leave to requests; 0 if it is
   */
  spend(client: string, units: number): number
}

interface Limit {
  kind: LimitedKind
  allowance: Allowance
  policy: string
}

type Buckets = Record<LimitedKind, number>

const full = Number.NEGATIVE_INFINITY

/** Own rates of clients in memory. */
const maxOwnRates = 1_000

/** Limit of bursts that a client owes for use admitted by processes before they shared it. */
const maxOwedBursts = 10

interface RateOptions {
  clientLimit?: number
  /** Counts the use of all processes. */
  shared?: SharedBudgets | undefined
  /** Returns the cost units per second of a client that has a rate of its own. */
  ownReads?: ((client: string) => number | null | undefined) | undefined
}

/** Token buckets for each client, in this process. */
export function createRateLimits(
  rates: Rates,
  now: Clock,
  { clientLimit = maxClients, shared, ownReads }: RateOptions = {},
): RateLimits {
  const common = limitsOf(rates)
  const own = createLruCache<number, Limit[]>({
    max: maxOwnRates,
    memoMethod: (reads) => limitsOf({ ...rates, reads }),
  })
  const limitsFor = (client: string): Limit[] => {
    const reads = ownReads?.(client)
    return reads == null ? common : own.memo(reads)
  }
  const readsFor = (client: string) => limitsFor(client).find(({ kind }) => kind === 'reads')
  const clients = createLruCache<string, Buckets>({
    max: clientLimit,
    memoMethod: () => ({ reads: full, quotes: full, orders: full, introspections: full }),
  })
  const origin = now()
  const commonUse =
    shared &&
    createCommonUse(shared, ({ client, kind }, fullInMs) => {
      const buckets = clients.peek(client)
      if (buckets) buckets[kind as LimitedKind] = now() - origin + fullInMs
    })

  function countForAll(client: string, { kind, allowance: { rate, burst } }: Limit, amount: number): void {
    const [costMs, maxMs] = [amount, burst * (1 + maxOwedBursts)].map((units) => (units * 1_000) / rate) as [
      number,
      number,
    ]
    commonUse?.add({ client, kind, costMs, maxMs })
  }

  /** Counts reads that were used already. */
  function useReads(client: string, buckets: Buckets, limit: Limit, units: number, at: number): void {
    buckets.reads = fullAfterUse(buckets.reads, units, limit.allowance, at)
    countForAll(client, limit, units)
  }

  /** Headers for the kinds that a request counts in. */
  function verdictOf(
    limits: readonly Limit[],
    buckets: Buckets,
    charge: Charge,
    at: number,
  ): Verdict | undefined {
    const reads = limits.find(({ kind }) => kind === 'reads')
    const counted = limits.filter(({ kind }) => charge[kind] > 0)
    if (counted.length === 0) return undefined
    return {
      refusal: undefined,
      exceededKind: undefined,
      policy: counted.map(({ policy }) => policy).join(', '),
      state: counted.map(({ kind, allowance }) => stateOf(kind, buckets[kind], allowance, at)).join(', '),
      left: reads && heldDown(buckets.reads, reads.allowance, at),
    }
  }

  return {
    // Half of the burst stays for the client's concurrent requests.
    maxReserved(client) {
      const reads = readsFor(client)
      return reads ? Math.max(1, Math.floor(reads.allowance.burst / 2)) : 0
    },

    take(client, charge, counted = noCharge) {
      const limits = limitsFor(client)
      const at = now() - origin
      const buckets = clients.memo(client)
      let exceeded: Limit | undefined
      let maxWaitMs = 0
      for (const limit of limits) {
        const { kind, allowance } = limit
        const more = charge[kind] - counted[kind]
        if (more <= 0) continue
        const wait =
          charge[kind] > allowance.burst
            ? Number.POSITIVE_INFINITY
            : waitMs(fullAfter(buckets[kind], more, allowance, at), allowance, at)
        if (wait <= maxWaitMs) continue
        maxWaitMs = wait
        exceeded = limit
      }
      if (exceeded) {
        const refusal = refusalOf(exceeded, charge[exceeded.kind], maxWaitMs)
        const verdict = verdictOf(limits, buckets, charge, at)
        return verdict && { ...verdict, refusal, exceededKind: exceeded.kind }
      }
      for (const limit of limits) {
        const { kind, allowance } = limit
        const more = charge[kind] - counted[kind]
        if (more === 0) continue
        buckets[kind] = fullAfter(buckets[kind], more, allowance, at)
        countForAll(client, limit, more)
      }
      return verdictOf(limits, buckets, charge, at)
    },

    takeMore(client, units, counted) {
      const reads = readsFor(client)
      if (!reads || units === 0) return undefined
      const charge = { ...noCharge, reads: Math.max(0, Math.min(units, reads.allowance.burst - counted)) }
      return this.take(client, charge)?.refusal
    },

    settle(client, charge, units) {
      const at = now() - origin
      const buckets = clients.memo(client)
      const limits = limitsFor(client)
      const reads = limits.find(({ kind }) => kind === 'reads')
      if (reads) useReads(client, buckets, reads, units, at)
      return verdictOf(limits, buckets, charge, at)
    },

    spend(client, units) {
      const reads = readsFor(client)
      if (!reads) return 0
      const at = now() - origin
      const buckets = clients.memo(client)
      const { allowance } = reads
      useReads(client, buckets, reads, units, at)
      return waitMs(fullAfter(buckets.reads, allowance.burst / 2, allowance, at), allowance, at)
    },
  }
}

function limitsOf(rates: Rates): Limit[] {
  return limitedKinds.flatMap((kind) => {
    const configured = rates[kind] ?? 0
    if (configured === 0) return []
    const seconds = burstSeconds[kind]
    const rate = kind === 'introspections' ? configured / 60 : configured
    const burst = kind === 'introspections' ? configured : configured * seconds
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

const kindNames: Readonly<Record<LimitedKind, string>> = {
  reads: 'cost units',
  quotes: 'quotes',
  orders: 'orders, sign-ins and other changes',
  introspections: 'introspection documents that were not asked before',
}

function refusalOf({ kind, allowance: { rate, burst } }: Limit, amount: number, wait: number): Refusal {
  if (amount > burst) {
    return new Refusal(
      'QueryTooComplex',
      `this operation counts as ${amount} ${kindNames[kind]}, and a client has at most ${burst} at once: split it into smaller operations`,
      { data: { limit: kind } },
    )
  }
  const retryAfterMs = Math.ceil(wait)
  const allowed =
    kind === 'introspections' ? `${burst} ${kindNames[kind]} a minute` : `${rate} ${kindNames[kind]} a second`
  return new Refusal('RateLimited', `over ${allowed}: wait ${Math.ceil(retryAfterMs / 1_000)} s`, {
    data: { limit: kind, retryAfterMs },
  })
}

/** The `RateLimit` header: units left, and seconds until the bucket is full. */
function stateOf(kind: LimitedKind, fullAt: number, allowance: Allowance, now: number): string {
  const seconds = Math.max(0, Math.ceil((fullAt - now) / 1_000))
  return `"${kind}";r=${heldDown(fullAt, allowance, now)};t=${seconds}`
}
