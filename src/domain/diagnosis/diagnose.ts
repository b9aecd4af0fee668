import type { Failing } from '../order/event.ts'
import { orderStatus } from '../order/status.ts'
import { fundsReasons, unpayable, unsigned } from './account.ts'
import { advised } from './advice.ts'
import { diagnosisCodes, generalCodes } from './code.ts'
import { competitionReasons, failure, takenBack, underWay } from './competition.ts'
import type { Diagnosis, Evidence, Reason } from './diagnosis.ts'
import { cancelled, expired, failedHooks, filled, neverTradable, partlyFilled, validityOf } from './ended.ts'
import type { DiagnosisFacts, StandingFacts } from './facts.ts'
import { marketReasons, storedGap } from './market.ts'
import { isEnd } from './over.ts'
import { inPast } from './past.ts'
import { reasonOf, tokenOf } from './reason.ts'
import { isHalted, serviceReasons } from './service.ts'
import { formatSeconds } from './words.ts'

/**
 * Explains why an order is not filled, or how it ended. Pure.
 * @returns at least one reason
 */
export function diagnose(facts: DiagnosisFacts): Diagnosis {
  const [first, ...further] = inOrder(reasonsOf(facts))
  if (!first) throw new TypeError('an order without a reason')
  return { ...first, further }
}

/** Sorts the reasons in the order in which they must be resolved, and adds advice to each. */
export function inOrder(reasons: readonly Reason[]): Reason[] {
  return advised(reasons.toSorted((a, b) => place(a) - place(b)))
}

/**
 * Reports whether the diagnosis needs the current funds of the account: no recent auction has checked them.
 */
export function needsLook(facts: Omit<DiagnosisFacts, 'look'>): boolean {
  const { order, now, standing } = facts
  const status = orderStatus(order, now.getTime() / 1_000)
  if (order.placementError !== null) return false
  if (status === 'presignaturePending') return true
  return status === 'open' && (standing === null || isHalted(facts))
}

const place = ({ code }: Reason) => diagnosisCodes.indexOf(code)

function reasonsOf(facts: DiagnosisFacts): Reason[] {
  const { order, now } = facts
  const status = orderStatus(order, now.getTime() / 1_000)
  const after = failedHooks(facts)
  if (status === 'fulfilled') return [filled(facts), ...after]
  const past = { ...facts, isPast: true }
  if (status === 'cancelled') return [cancelled(facts), ...partlyFilled(past), ...after]
  if (order.placementError !== null) return [neverTradable(facts)]
  if (status === 'expired')
    return [expired(facts), ...partlyFilled(past), ...keptUntilThen(past).map(inPast), ...after]
  return [...partlyFilled(facts), ...serviceReasons(facts), ...liveReasons(facts), ...after]
}

/** The reasons that blocked an order until it expired, as of the last auction. */
function keptUntilThen(facts: DiagnosisFacts): Reason[] {
  const { standing } = facts
  if (!standing) return [...livedTooShort(facts), ...competitionReasons(facts)]
  const reasons = standingReasons(facts, standing)
  return reasons.filter(({ code }) => !generalCodes.includes(code) && code !== 'settling')
}

/** The reason for an order that expired before any auction could take it. */
function livedTooShort(facts: DiagnosisFacts): Reason[] {
  const { order, service } = facts
  const { minLifetime, auctionPauseMs } = service
  const lifetime = order.effectiveValidTo - Math.floor(order.creationDate.getTime() / 1_000)
  if (lifetime >= minLifetime + auctionPauseMs / 1_000) return []
  const summary = `The order was placed ${formatSeconds(lifetime)} before it expired, and only orders with ${formatSeconds(minLifetime)} left or more are offered to solvers.`
  return [reasonOf('expiresTooSoon', null, [validityOf(facts)], summary)]
}

function liveReasons(facts: DiagnosisFacts): Reason[] {
  const onTheWay = underWay(facts)
  if (onTheWay.length > 0) return onTheWay
  const time = timeReasons(facts)
  if (time.some(isEnd)) return [...time, ...accountReasons({ ...facts, isPast: true }).map(inPast)]
  const reasons = [...time, ...accountReasons(facts)]
  return reasons.length > 0 ? reasons : [general(facts)]
}

function timeReasons(facts: DiagnosisFacts): Reason[] {
  const { order, now, service } = facts
  const seconds = now.getTime() / 1_000
  if ((order.validFrom ?? 0) > seconds)
    return [reasonOf('notYetValid', order.creationDate, [validityOf(facts)])]
  const { minLifetime } = service
  if (order.effectiveValidTo >= seconds + minLifetime) return []
  const validity = validityOf(facts)
  const summary = `The order expires in less than ${formatSeconds(minLifetime)}: it is not offered to solvers any more. Only an auction that has begun already can still fill it.`
  return [reasonOf('expiresTooSoon', validity.offeredUntil, [validity], summary)]
}

function accountReasons(facts: DiagnosisFacts): Reason[] {
  const { order, standing, look } = facts
  const isUnsigned = order.signingScheme === 'presign' && !order.presigned
  const signature = isUnsigned ? [reasonOf('presignatureMissing', standing?.since ?? order.creationDate)] : []
  // The current state counts more than the state at the last auction.
  const now = look && look !== 'away' ? fundsReasons(facts, look, null) : []
  if (!standing) return [...signature, ...now]
  if (isUnsigned) return [...signature, ...now, ...priceToo(facts, standing)]
  const seen = standingReasons(facts, standing)
  const isSeen = (reason: Reason) => seen.some(({ code }) => code === reason.code)
  return [...now.filter((reason) => !isSeen(reason)), ...seen]
}

/** The reasons from the standing that the last auction stored. */
function standingReasons(facts: DiagnosisFacts, standing: StandingFacts): Reason[] {
  const { order, deniedTokens, attempt } = facts
  const { since, unpriced } = standing
  const tokens = (named: readonly (typeof order.sellToken)[]): Evidence[] =>
    named.map((token) => ({ kind: 'token', token }))
  switch (standing.reason) {
    case 'in_flight':
      return [reasonOf('settling', since)]
    case 'banned_user':
      return [reasonOf('accountDenied', since)]
    case 'unsupported_token':
      return [
        reasonOf(
          'tokenDenied',
          since,
          tokens([order.sellToken, order.buyToken].filter((token) => deniedTokens.includes(token))),
        ),
      ]
    case 'invalid_signature':
      return [unsigned(facts, standing), ...priceToo(facts, standing)]
    case 'insufficient_balance':
      return [...unpayable(facts, standing), ...priceToo(facts, standing)]
    case 'dust_order':
      return [reasonOf('tooSmall', since)]
    case 'missing_native_price':
      return [
        ...(standing.routed === 'none' ? marketReasons(facts, standing) : []),
        reasonOf('noNativePrice', since, tokens(unpriced)),
      ]
    case 'settlement_failed':
      if (standing.failing) return [tradesFail(facts, standing, standing.failing)]
      if (standing.revert !== null) return [settlementReverts(standing.revert, since, facts.isPast)]
      return [
        reasonOf('settlementPaused', since),
        ...(attempt && attempt.outcome !== null && attempt.outcome !== 'success' ? [failure(attempt)] : []),
      ]
    case 'auction_full':
      return [...marketReasons(facts, standing), reasonOf('outOfPlaces', since)]
    default: {
      if (standing.failing) return [tradesFail(facts, standing, standing.failing)]
      const reasons = marketReasons(facts, standing)
      return reasons.length > 0 ? [...reasons, ...takenBack(facts)] : competitionReasons(facts)
    }
  }
}

/** Reasons that would remain if the account had the missing funds: its owner would pay gas for nothing. */
function priceToo(facts: DiagnosisFacts, standing: StandingFacts): Reason[] {
  const stored = standing.marketGap === null ? storedGap(facts) : null
  return marketReasons(facts, { ...standing, ...stored }).map((reason) => ({ ...reason, since: null }))
}

/** The reason for trades that fail independently of the order. */
function tradesFail(
  facts: DiagnosisFacts,
  { revert, since }: StandingFacts,
  { kind, address }: Failing,
): Reason {
  const { sellToken, buyToken } = facts.order
  // The route of an order may pass through other tokens.
  const symbol = [sellToken, buyToken].includes(address) ? tokenOf(facts, address).symbol : null
  const trades =
    kind === 'pool' ? `Trades through the pool ${address}` : `Trades of ${symbol ?? `the token ${address}`}`
  const answer = revert ?? 'no reason is given'
  return reasonOf(
    'tradesFail',
    since,
    [
      kind === 'pool' ? { kind, pool: address } : { kind, token: address },
      { kind: 'revert', reason: answer },
    ],
    `${trades} ${facts.isPast ? 'failed' : 'fail'}: ${answer}.`,
  )
}

export function settlementReverts(revert: string, since: Date, isPast = false): Reason {
  const summary = `A settlement of the order alone ${isPast ? 'failed' : 'fails'}: ${revert}.`
  return reasonOf('settlementReverts', since, [{ kind: 'revert', reason: revert }], summary)
}

/** The reason if nothing blocks the order. */
function general({ standing, order }: DiagnosisFacts): Reason {
  if (!standing) return reasonOf('waitingForAuction', order.creationDate)
  return reasonOf('notProposed', standing.since)
}
