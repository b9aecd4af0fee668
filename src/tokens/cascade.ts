import { LRUCache } from 'lru-cache'
import { createLimiter } from '../chain/limiter.ts'
import type { Address } from '../domain/address.ts'
import { Outage } from '../domain/error.ts'
import type { Clock, Log } from '../domain/log.ts'
import { absentMs, type Sourced } from '../domain/sourced.ts'
import type { TokenSource } from '../market/token-source.ts'
import { OutsideFault } from '../outside/fault.ts'
import { whileWaited } from '../outside/waiting.ts'

/** Times in milliseconds. */
export interface CascadeLimits {
  /** How long what the first one in the order had to say is told. */
  freshMs: number
  /** That of one who was only asked because somebody before it could not say: soon the order counts again. */
  secondBestMs: number
  /** That nobody knows of any: not for long, since a token gets its first pool, or its first holder, at any time. */
  absentMs: number
  /** How old an answer may be that is told again, marked as stale, while nobody can say. */
  staleMs: number
  /** How long nobody is asked again after that. */
  retryMs: number
  /** How long after that it is told at once, while they are asked: afterwards they may be well again, and are waited for. */
  behindMs: number
  /** For all sources together, and for waiting until there is a turn. */
  roundMs: number
  /** What each source gets in any case, so that nobody is unavailable because this process was held up. */
  leastMs: number
  /** Tokens that are remembered. The least used ones are forgotten first. */
  mostKnown: number
  /** Tokens that are asked about at a time. */
  atOnce: number
  /** Tokens that wait for that. */
  mostWaiting: number
}

export const cascadeLimits: CascadeLimits = {
  freshMs: 120_000,
  secondBestMs: 10_000,
  absentMs,
  staleMs: 86_400_000,
  retryMs: 1_500,
  behindMs: 120_000,
  roundMs: 4_500,
  leastMs: 250,
  mostKnown: 10_000,
  atOnce: 64,
  mostWaiting: 2_000,
}

export interface CascadeOptions<Value> {
  /** What an Outage says is not to be had. */
  what: string
  /** In the order of asking. */
  sources: readonly TokenSource<Value>[]
  now: Clock
  log: Log
  limits?: Partial<CascadeLimits>
}

/** Several sources as one, for one network. */
export interface Cascade<Value> {
  /**
   * What the first source says that has an answer. `undefined` only when every one of them answered that it knows of none.
   * @throws Outage when one that might know could not say, and nothing is left from before; and without any source
   */
  find(token: Address): Promise<Sourced<Value> | undefined>
  /** A fresh answer in memory: nobody is asked. */
  peek(token: Address): Sourced<Value> | undefined
}

interface Known<Value> {
  told: Sourced<Value> | Outage | undefined
  /** Until then it is told without asking. */
  until: number
  /** The newest answer there was; what every source denies is forgotten. */
  last: Sourced<Value> | undefined
}

/** That a source could not say is logged once in so long. */
const complaintMs = 10_000

export function createCascade<Value>(options: CascadeOptions<Value>): Cascade<Value> {
  const { what, sources, now } = options
  const limits = { ...cascadeLimits, ...options.limits }
  const { freshMs, secondBestMs, absentMs, staleMs, retryMs, behindMs, roundMs, leastMs } = limits
  const nobody = new Outage(what, 'no source is set up for this network')
  const memory = new LRUCache<Address, Known<Value>>({ max: limits.mostKnown })
  const rounds = new Map<Address, Promise<Known<Value>>>()
  const inTurn = createLimiter({ what, running: limits.atOnce, waiting: limits.mostWaiting })
  const complain = createComplaints(options)

  /** Each source in its turn, each with its share of what is left of the time: one that is slow leaves the others theirs. */
  async function ask(token: Address, deadline: number): Promise<Known<Value>> {
    if (performance.now() >= deadline) throw new Outage(what, 'there was no turn in time')
    const faults: string[] = []
    for (const [index, source] of sources.entries()) {
      try {
        const at = now()
        const share = (deadline - performance.now()) / (sources.length - index)
        const value = await askOne(source, token, Math.max(share, leastMs))
        if (value === undefined) continue
        const keepMs = faults.length === 0 ? freshMs : secondBestMs
        const last = { value, source: source.name, at, keepMs, isStale: false }
        return { told: last, last, until: at + keepMs }
      } catch (fault) {
        faults.push(`${source.name}: ${complain(source.name, fault)}`)
      }
    }
    if (faults.length === 0) return { told: undefined, last: undefined, until: now() + absentMs }
    return unsaid(token, new Outage(what, faults.join(', ')))
  }

  function unsaid(token: Address, outage: Outage): Known<Value> {
    const last = memory.peek(token)?.last
    return { told: again(last) ?? outage, last, until: now() + retryMs }
  }

  /** `undefined` when it is too old. */
  function again(last: Sourced<Value> | undefined): Sourced<Value> | undefined {
    return last && now() - last.at < staleMs ? { ...last, keepMs: 0, isStale: true } : undefined
  }

  /** While nobody could say a moment ago, nobody waits to hear it again. */
  function meanwhile({ told, last, until }: Known<Value>): Sourced<Value> | undefined {
    const wasStale = told !== undefined && !(told instanceof Outage) && told.isStale
    return wasStale && now() < until + behindMs ? again(last) : undefined
  }

  /** Throws nothing: it may be that nobody waits for it. */
  async function round(token: Address): Promise<Known<Value>> {
    const deadline = performance.now() + roundMs
    try {
      const known = await inTurn(() => ask(token, deadline))
      memory.set(token, known)
      return known
    } catch (fault) {
      // There was no turn: that says nothing of the token, and is not remembered of it.
      return unsaid(token, fault instanceof Outage ? fault : new Outage(what, complain(what, fault)))
    } finally {
      rounds.delete(token)
    }
  }

  return {
    async find(token) {
      if (sources.length === 0) throw nobody
      const known = memory.get(token)
      if (known && now() < known.until) return tell(known)
      const underWay = rounds.get(token) ?? round(token)
      rounds.set(token, underWay)
      const stale = known && meanwhile(known)
      return stale ?? tell(await underWay)
    },
    peek(token) {
      const { told, until = 0 } = memory.get(token) ?? {}
      return told && now() < until && !(told instanceof Outage) && !told.isStale ? told : undefined
    },
  }
}

function tell<Value>({ told }: Known<Value>): Sourced<Value> | undefined {
  if (told instanceof Outage) throw told
  return told
}

/** @throws Outage when the time is over, whatever the source still does; and what it throws */
async function askOne<Value>(
  source: TokenSource<Value>,
  token: Address,
  ms: number,
): Promise<Value | undefined> {
  const Fault = source.isGuarded ? OutsideFault : Outage
  const late = () => new Fault(source.name, 'did not answer in time')
  const signal = AbortSignal.timeout(Math.ceil(ms))
  return whileWaited(source.find(token, signal), signal, late)
}

/** Says what is wrong, in words that hold nothing of what was received, and logs it. */
function createComplaints({ what, now, log }: Pick<CascadeOptions<unknown>, 'what' | 'now' | 'log'>) {
  const logged = new LRUCache<string, true>({ max: 100, ttl: complaintMs, ttlResolution: 0, perf: { now } })
  return (source: string, fault: unknown): string => {
    if (!(fault instanceof Outage)) {
      log.error('a token source failed', {
        source,
        what,
        fault: fault instanceof Error ? fault.stack : fault,
      })
      return 'failed'
    }
    const reason = reasonOf(fault)
    const complaint = `${source}: ${reason}`
    // What an outside source is to blame for was logged where it is guarded.
    const isTold = fault instanceof OutsideFault || logged.has(complaint)
    if (!isTold) log.warn('a token source could not say', { source, what, reason })
    logged.set(complaint, true)
    return reason
  }
}

function reasonOf(fault: Outage): string {
  if (fault instanceof OutsideFault) return fault.reason
  return typeof fault.cause === 'string' ? fault.cause : fault.message
}
