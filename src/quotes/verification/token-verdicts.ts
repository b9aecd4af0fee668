import type { CheckToken, TokenVerdict } from '../../chain/token/check.ts'
import { createLimiter } from '../../concurrency/limiter.ts'
import { Outage, Refusal } from '../../domain/errors/error.ts'
import { type Address, nativeMarker } from '../../domain/evm/address.ts'
import type { GasMeter } from '../../domain/evm/gas-meter.ts'
import type { Clock, Log } from '../../domain/log.ts'
import { type Pool, poolSide } from '../../domain/routing/pool.ts'
import { createAnswerCache } from '../../outside/answer-cache.ts'

/** Trials of tokens. A meter counts the gas of a trial for the client whose request begins it. */
interface TokenVerdicts {
  /**
   * Returns the cached verdict of each token. It is `unknown` if the node does not answer or the queue of
   * trials is full: quoting continues.
   */
  verdicts(tokens: readonly Address[], meter?: GasMeter): Promise<Map<Address, TokenVerdict>>
  /** Checks tokens. @throws Refusal UnsupportedToken if a token is known to transfer wrongly */
  checkTokens(tokens: readonly Address[], meter?: GasMeter): Promise<void>
  /** Tries the token now, without the cache. @returns the reason for a refusal @throws Outage */
  tryAgain(token: Address): Promise<string | undefined>
}

export interface TokenVerdictOptions {
  check: CheckToken
  /**
   * Returns a large holder, such as the deepest pool. It is called for every token, so it must answer from
   * memory.
   */
  holderOf(token: Address): Promise<Address | undefined>
  /** The wrapped native token. Neither it nor the native marker is ever checked. */
  wrappedNative: Address
  now: Clock
  log: Log
}

const [second, minute, hour] = [1000, 60_000, 3_600_000]
/** The time for which a verdict is cached: an upgradeable token can change. */
const verdictMs: Record<TokenVerdict, number> = {
  plain: 6 * hour,
  'fee-on-transfer': hour,
  rebasing: hour,
  stuck: hour,
  absent: minute,
  unknown: minute,
}
const outageMs = 3 * second
/** The limits for tokens with a known holder. */
const traded = { maxEntries: 10_000, running: 16, waiting: 128 }
/**
 * The limits for other tokens. A client can name any number of them, so they share a separate queue and
 * cache.
 */
const unheld = { maxEntries: 1_000, running: 4, waiting: 8 }

/** The reasons why a token is refused. `absent` is not refused here, because the market has no pool of it. */
const faults: Partial<Record<TokenVerdict, string>> = {
  'fee-on-transfer': 'takes a fee from transfers',
  rebasing: 'changes balances by itself',
  stuck: 'cannot be transferred',
}

export function createTokenVerdicts(options: TokenVerdictOptions): TokenVerdicts {
  const { holderOf, wrappedNative, now, log } = options
  const trials = { traded: createTrials(traded, options), unheld: createTrials(unheld, options) }
  let quietUntil = 0
  const isTrusted = (token: Address) => token === nativeMarker || token === wrappedNative

  function unchecked(token: Address, fault: Outage): TokenVerdict {
    if (now() >= quietUntil) {
      quietUntil = now() + minute
      log.warn('tokens are traded unchecked', { token, fault: fault.message })
    }
    return 'unknown'
  }

  async function triedVerdict(
    token: Address,
    { isFresh = false, meter }: { isFresh?: boolean; meter?: GasMeter | undefined },
  ): Promise<TokenVerdict | Outage> {
    const holder = await holderOf(token)
    const trial = holder ? trials.traded : trials.unheld
    return trial(token, holder, { isFresh, meter })
  }

  async function verdictOf(token: Address, meter: GasMeter | undefined): Promise<TokenVerdict> {
    if (isTrusted(token)) return 'plain'
    try {
      const verdict = await triedVerdict(token, { meter })
      return verdict instanceof Outage ? unchecked(token, verdict) : verdict
    } catch (fault) {
      if (fault instanceof Outage) return unchecked(token, fault)
      throw fault
    }
  }

  async function verdicts(tokens: readonly Address[], meter?: GasMeter) {
    const entries = tokens.map(async (token) => [token, await verdictOf(token, meter)] as const)
    return new Map(await Promise.all(entries))
  }

  return {
    verdicts,
    async checkTokens(tokens, meter) {
      for (const [token, verdict] of await verdicts(tokens, meter)) {
        const fault = faults[verdict]
        if (fault) throw new Refusal('UnsupportedToken', `${token} ${fault}`)
      }
    },
    async tryAgain(token) {
      if (isTrusted(token)) return undefined
      const verdict = await triedVerdict(token, { isFresh: true })
      if (verdict instanceof Outage) throw verdict
      return faults[verdict]
    },
  }
}

/** Creates trials that share a cache and a queue. An Outage is cached too, for a moment. */
function createTrials(
  { maxEntries, running, waiting }: typeof traded,
  { check, now, log }: TokenVerdictOptions,
) {
  const queued = createLimiter({ what: 'the trial of tokens', running, waiting })
  const answers = createAnswerCache<TokenVerdict | Outage>({
    maxEntries,
    now,
    ttlMs: (verdict) => (verdict instanceof Outage ? outageMs : verdictMs[verdict]),
  })

  async function judge(
    token: Address,
    holder: Address | undefined,
    meter: GasMeter | undefined,
  ): Promise<TokenVerdict | Outage> {
    try {
      const verdict = await queued(() => check(token, holder, meter))
      log.debug('a token was checked', { token, verdict })
      return verdict
    } catch (fault) {
      if (fault instanceof Outage) return fault
      throw fault
    }
  }

  return (
    token: Address,
    holder: Address | undefined,
    { isFresh, meter }: { isFresh: boolean; meter: GasMeter | undefined },
  ) => answers(token, () => judge(token, holder, meter), isFresh)
}

/** The pool with the largest reserve of a token: a holder for trial transfers. */
export function deepestPool(token: Address, pools: readonly Pool[]): Address | undefined {
  const reserve = (pool: Pool) => poolSide(pool, token).reserveIn
  const holders = pools.filter(({ token0, token1 }) => token0 === token || token1 === token)
  return holders.reduce<Pool | undefined>(
    (deepest, pool) => (deepest && reserve(deepest) >= reserve(pool) ? deepest : pool),
    undefined,
  )?.address
}
