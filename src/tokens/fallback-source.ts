import { LRUCache } from 'lru-cache'
import { createFairQueue, shareQueuedWork } from '../concurrency/fair-queue.ts'
import { createThrottledLog } from '../concurrency/throttled-log.ts'
import { whileWaited } from '../concurrency/waiting.ts'
import { Outage } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Clock, Log } from '../domain/log.ts'
import { absentMs, type Sourced } from '../domain/token/sourced.ts'
import type { TokenSource } from '../market/token-source.ts'
import { OutsideFault } from '../outside/fault.ts'

/** Times in milliseconds. */
export interface FallbackLimits {
  /** How long what the first one in the order had to say is told. */
  freshMs: number
  /** That of one who was only asked because somebody before it could not say: soon the order counts again. */
  secondBestMs: number
  /**
   * That nobody knows of any: not for long, since a token gets its first pool, or its first holder, at any
   * time.
   */
  absentMs: number
  /** How old an answer may be that is told again, marked as stale, while nobody can say. */
  staleMs: number
  /** How long nobody is asked again after that. */
  retryMs: number
  /**
   * How long after that it is told at once, while they are asked: afterwards they may be well again, and are
   * waited for.
   */
  behindMs: number
  /** For all sources together, and for waiting until there is a turn. */
  roundMs: number
  /** What each source gets in any case, so that nobody is unavailable because this process was held up. */
  leastMs: number
  /** Tokens that are remembered. The least used ones are forgotten first. */
  maxKnown: number
  /** Tokens that are asked about at a time; for one client half of them. */
  atOnce: number
  /** Tokens that wait for that; for one client half of them. */
  maxWaiting: number
}

export const fallbackLimits: FallbackLimits = {
  freshMs: 120_000,
  secondBestMs: 10_000,
  absentMs,
  staleMs: 86_400_000,
  retryMs: 1_500,
  behindMs: 120_000,
  roundMs: 4_500,
  leastMs: 250,
  maxKnown: 10_000,
  atOnce: 64,
  maxWaiting: 2_000,
}

export interface FallbackOptions<Value> {
  /** What an Outage says is not to be had. */
  what: string
  /** In the order of asking. */
  sources: readonly TokenSource<Value>[]
  now: Clock
  log: Log
  limits?: Partial<FallbackLimits>
}

/** Several sources as one, for one network. */
export interface FallbackSource<Value> {
  /**
   * What the first source says that has an answer. `undefined` only when every one of them answered that it
   * knows of none. Each client has turns of its own, so that one who asks for much keeps nobody else from his
   * answer; however many ask about a token, and whoever they are, it is one question.
   * @throws Outage when one that might know could not say, and nothing is left from before; and without any
   * source
   */
  find(token: Address, client: string): Promise<Sourced<Value> | undefined>
  /** A fresh answer in memory: nobody is asked. */
  peek(token: Address): Sourced<Value> | undefined
}

interface Known<Value> {
  result: Sourced<Value> | Outage | undefined
  /** Until then it is told without asking. */
  until: number
  /** The newest answer there was; what every source denies is forgotten. */
  last: Sourced<Value> | undefined
}

export function createFallbackSource<Value>(options: FallbackOptions<Value>): FallbackSource<Value> {
  const { what, sources, now } = options
  const limits = { ...fallbackLimits, ...options.limits }
  const { freshMs, secondBestMs, absentMs, staleMs, retryMs, behindMs, roundMs, leastMs } = limits
  const nobody = new Outage(what, 'no source is set up for this network')
  const memory = new LRUCache<Address, Known<Value>>({ max: limits.maxKnown })
  const inTurn = shareQueuedWork<Known<Value>>(
    createFairQueue({
      running: shared(limits.atOnce),
      waiting: shared(limits.maxWaiting),
      waitMs: roundMs,
      refusal: (why) => new Outage(what, why),
    }),
  )
  const reasonOf = createReasons(options)

  /**
   * Each source in its turn, each with its share of what is left of the time: one that is slow leaves the
   * others theirs.
   */
  async function ask(token: Address, deadline: number): Promise<Known<Value>> {
    const faults: string[] = []
    for (const [index, source] of sources.entries()) {
      try {
        const at = now()
        const share = (deadline - performance.now()) / (sources.length - index)
        const value = await askOne(source, token, Math.max(share, leastMs))
        if (value === undefined) continue
        const keepMs = faults.length === 0 ? freshMs : secondBestMs
        const last = { value, source: source.name, at, keepMs, isStale: false }
        return { result: last, last, until: at + keepMs }
      } catch (fault) {
        faults.push(`${source.name}: ${reasonOf(source.name, fault)}`)
      }
    }
    if (faults.length === 0) return { result: undefined, last: undefined, until: now() + absentMs }
    return unsaid(token, new Outage(what, faults.join(', ')))
  }

  function unsaid(token: Address, outage: Outage): Known<Value> {
    const last = memory.peek(token)?.last
    return { result: again(last) ?? outage, last, until: now() + retryMs }
  }

  /** `undefined` when it is too old. */
  function again(last: Sourced<Value> | undefined): Sourced<Value> | undefined {
    return last && now() - last.at < staleMs ? { ...last, keepMs: 0, isStale: true } : undefined
  }

  /** While nobody could say a moment ago, nobody waits to hear it again. */
  function meanwhile({ result, last, until }: Known<Value>): Sourced<Value> | undefined {
    const wasStale = result !== undefined && !(result instanceof Outage) && result.isStale
    return wasStale && now() < until + behindMs ? again(last) : undefined
  }

  async function round(token: Address, since: number): Promise<Known<Value>> {
    const known = await ask(token, since + roundMs)
    memory.set(token, known)
    return known
  }

  /** Throws nothing: it may be that nobody waits for it. */
  async function next(token: Address, client: string): Promise<Known<Value>> {
    try {
      return await inTurn(token, client, (since) => round(token, since))
    } catch (fault) {
      // There was no turn: that says nothing of the token, and is not remembered of it.
      return unsaid(token, fault instanceof Outage ? fault : new Outage(what, reasonOf(what, fault)))
    }
  }

  return {
    async find(token, client) {
      if (sources.length === 0) throw nobody
      const known = memory.get(token)
      if (known && now() < known.until) return valueOrOutage(known)
      const underWay = next(token, client)
      const stale = known && meanwhile(known)
      return stale ?? valueOrOutage(await underWay)
    },
    peek(token) {
      const { result, until = 0 } = memory.get(token) ?? {}
      return result && now() < until && !(result instanceof Outage) && !result.isStale ? result : undefined
    },
  }
}

function valueOrOutage<Value>({ result }: Known<Value>): Sourced<Value> | undefined {
  if (result instanceof Outage) throw result
  return result
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

/** One client leaves half to the others; one turn, and one place, anybody has. */
function shared(most: number) {
  return { most, perKey: Math.ceil(most / 2) }
}

/** Says what is wrong, in words that hold nothing of what was received, and logs it. */
function createReasons({ what, now, log }: Pick<FallbackOptions<unknown>, 'what' | 'now' | 'log'>) {
  const warn = createThrottledLog({ now, log })
  return (source: string, fault: unknown): string => {
    // Was logged where the source is guarded.
    if (fault instanceof OutsideFault) return fault.reason
    if (fault instanceof Outage) {
      const reason = typeof fault.cause === 'string' ? fault.cause : fault.message
      warn('a token source could not say', { source, what, reason })
      return reason
    }
    log.error('a token source failed', {
      source,
      what,
      fault: fault instanceof Error ? fault.stack : fault,
    })
    return 'failed'
  }
}
