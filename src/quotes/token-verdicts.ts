import { createAnswers } from '../chain/answers.ts'
import type { CheckToken, TokenVerdict } from '../chain/token-check.ts'
import { type Address, nativeMarker } from '../domain/address.ts'
import { Outage, Refusal } from '../domain/error.ts'
import type { Clock, Log } from '../domain/log.ts'

export interface TokenVerdicts {
  /** One for each token, from memory where it was asked before. A node that is away leaves them `unknown`, and quoting goes on. */
  verdicts(tokens: readonly Address[]): Promise<Map<Address, TokenVerdict>>
  /** @throws Refusal UnsupportedToken when one of them is known not to hold what is sent */
  checkTokens(tokens: readonly Address[]): Promise<void>
}

export interface TokenVerdictOptions {
  check: CheckToken
  /** Somebody who has much of it, such as its deepest pool. */
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
const mostRemembered = 10_000

/** What is wrong with a token. An absent one is left to the market, which has no pool of it. */
const faults: Partial<Record<TokenVerdict, string>> = {
  'fee-on-transfer': 'takes a fee from transfers',
  rebasing: 'changes balances by itself',
  stuck: 'cannot be transferred',
}

export function createTokenVerdicts(options: TokenVerdictOptions): TokenVerdicts {
  const { check, holderOf, wrappedNative, now, log } = options
  const answers = createAnswers<{ verdict: TokenVerdict; isOutage: boolean }>({
    most: mostRemembered,
    now,
    lastsMs: ({ verdict, isOutage }) => (isOutage ? outageLasts : lasts[verdict]),
  })
  let quietUntil = 0

  async function judge(token: Address) {
    try {
      const verdict = await check(token, await holderOf(token))
      log.debug('a token was tried', { token, verdict })
      return { verdict, isOutage: false }
    } catch (fault) {
      if (!(fault instanceof Outage)) throw fault
      if (now() >= quietUntil) {
        quietUntil = now() + minute
        log.warn('tokens are traded unchecked', { token, fault: fault.message })
      }
      return { verdict: 'unknown' as const, isOutage: true }
    }
  }

  async function verdictOf(token: Address): Promise<TokenVerdict> {
    if (token === nativeMarker || token === wrappedNative) return 'plain'
    return (await answers(token, () => judge(token))).verdict
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
