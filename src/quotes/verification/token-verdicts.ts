import type { CheckToken, TokenVerdict } from '../../chain/token/check.ts'
import { createLimiter } from '../../concurrency/limiter.ts'
import { Outage, Refusal } from '../../domain/errors/error.ts'
import { type Address, nativeMarker } from '../../domain/evm/address.ts'
import type { Clock, Log } from '../../domain/log.ts'
import { createAnswerCache } from '../../outside/answers.ts'

export interface TokenVerdicts {
  /**
   * One for each token, from memory where it was asked before. A node that is away leaves them `unknown`, and so do too many that
   * wait to be tried: quoting goes on.
   */
  verdicts(tokens: readonly Address[]): Promise<Map<Address, TokenVerdict>>
  /** @throws Refusal UnsupportedToken when one of them is known not to hold what is sent */
  checkTokens(tokens: readonly Address[]): Promise<void>
}

export interface TokenVerdictOptions {
  check: CheckToken
  /** Somebody who has much of it, such as its deepest pool. Asked for every time, so from memory. */
  holderOf(token: Address): Promise<Address | undefined>
  /** Neither it nor the native marker is ever checked. */
  wrappedNative: Address
  now: Clock
  log: Log
}

const [second, minute, hour] = [1000, 60_000, 3_600_000]
/** An upgradeable token can change what it does. */
const lasts: Record<TokenVerdict, number> = {
  plain: 6 * hour,
  'fee-on-transfer': hour,
  rebasing: hour,
  stuck: hour,
  absent: minute,
  unknown: minute,
}
const outageLasts = 3 * second
/** Of tokens in the market. */
const traded = { remembered: 10_000, running: 16, waiting: 128 }
/** Of those that nobody is known to hold: anybody can name any number of them, and they hold up and displace each other alone. */
const strange = { remembered: 1_000, running: 4, waiting: 8 }

/** What is wrong with a token. An absent one is left to the market, which has no pool of it. */
const faults: Partial<Record<TokenVerdict, string>> = {
  'fee-on-transfer': 'takes a fee from transfers',
  rebasing: 'changes balances by itself',
  stuck: 'cannot be transferred',
}

export function createTokenVerdicts(options: TokenVerdictOptions): TokenVerdicts {
  const { holderOf, wrappedNative, now, log } = options
  const trials = { traded: createTrials(traded, options), strange: createTrials(strange, options) }
  let quietUntil = 0

  function unchecked(token: Address, fault: Outage): TokenVerdict {
    if (now() >= quietUntil) {
      quietUntil = now() + minute
      log.warn('tokens are traded unchecked', { token, fault: fault.message })
    }
    return 'unknown'
  }

  async function verdictOf(token: Address): Promise<TokenVerdict> {
    if (token === nativeMarker || token === wrappedNative) return 'plain'
    try {
      const holder = await holderOf(token)
      const found = await (holder ? trials.traded : trials.strange)(token, holder)
      return found instanceof Outage ? unchecked(token, found) : found
    } catch (fault) {
      if (fault instanceof Outage) return unchecked(token, fault)
      throw fault
    }
  }

  async function verdicts(tokens: readonly Address[]) {
    return new Map(await Promise.all(tokens.map(async (token) => [token, await verdictOf(token)] as const)))
  }

  return {
    verdicts,
    async checkTokens(tokens) {
      for (const [token, verdict] of await verdicts(tokens)) {
        const fault = faults[verdict]
        if (fault) throw new Refusal('UnsupportedToken', `${token} ${fault}`)
      }
    },
  }
}

/** Trials that share a memory and a queue. An Outage is remembered too, for a moment. */
function createTrials(
  { remembered, running, waiting }: typeof traded,
  { check, now, log }: TokenVerdictOptions,
) {
  const inTurn = createLimiter({ what: 'the trial of tokens', running, waiting })
  const answers = createAnswerCache<TokenVerdict | Outage>({
    maxEntries: remembered,
    now,
    ttlMs: (found) => (found instanceof Outage ? outageLasts : lasts[found]),
  })

  async function judge(token: Address, holder: Address | undefined): Promise<TokenVerdict | Outage> {
    try {
      const verdict = await inTurn(() => check(token, holder))
      log.debug('a token was tried', { token, verdict })
      return verdict
    } catch (fault) {
      if (fault instanceof Outage) return fault
      throw fault
    }
  }

  return (token: Address, holder: Address | undefined) => answers(token, () => judge(token, holder))
}
