import type { Hook } from '../app-data/document.ts'
import type { Address } from '../evm/address.ts'
import type { Failing } from '../order/event.ts'
import { orderStatus } from '../order/status.ts'
import {
  assignHookCalls,
  type HookPhase,
  hookPhases,
  hookResult,
  isLimitTight,
  type RanHooks,
} from '../settlement/hooks.ts'
import { foreign, formatSeconds, grouped } from '../text/readable.ts'
import { fundsReasons, programmaticEvidence, unpayable, unsigned } from './account-reasons.ts'
import { advised } from './advice.ts'
import {
  competitionReasons,
  failure,
  isHalted,
  serviceReasons,
  takenBack,
  underWay,
} from './auction-reasons.ts'
import { type DiagnosisCode, diagnosisCodes, diagnosisTexts, generalCodes } from './code.ts'
import {
  type Diagnosis,
  type DiagnosisInput,
  type ObservedStanding,
  type Reason,
  reasonOf,
  standingOf,
  tokenOf,
} from './diagnosis.ts'
import {
  cancelled,
  expired,
  failedHooks,
  filled,
  neverTradable,
  partlyFilled,
  validityOf,
} from './end-reasons.ts'
import type { Evidence, EvidenceOf } from './evidence.ts'
import { marketReasons, storedGap } from './price-reasons.ts'
import { isTerminalCode } from './terminal-code.ts'

/**
 * Meanings, in the past tense, of reasons that blocked an order that has ended. Other codes have texts in the
 * past tense already, or texts with figures.
 */
const pastMeanings: Partial<Record<DiagnosisCode, string>> = {
  accountDenied: 'The operator did not trade for this account.',
  tokenDenied: 'The operator did not trade one of the tokens.',
  presignatureMissing: 'The owner did not sign the order on chain.',
  signatureInvalid: 'The owner’s contract did not accept the signature any more.',
  balanceHeld: 'Another order of the same account came first for the balance, as it was more likely to fill.',
  hooksFail: 'The order’s own calls, its hooks, failed, or they did not bring what the order sold.',
  tokenMisbehaves: 'The token that was sold refused the transfer, though balance and allowance sufficed.',
  tooSmall: 'What was left of the order, or what the account had for it, was too small to be traded.',
  noLiquidity: 'No market led from one token to the other for this amount.',
  noNativePrice: 'One of the tokens had no price, so trades with it could not be compared.',
  tradesFail:
    'A token of the order, or a pool that it would have been traded through, made every trade fail.',
  settlementPaused:
    'The order waited for some blocks: it, or another of the same account, may have been why a settlement failed.',
  filteredForFairness:
    'The best offer for the order was left out: one of the orders in it got a better price elsewhere.',
}

function toPastTense(reason: Reason): Reason {
  const { code, summary } = reason
  const meaning = summary === diagnosisTexts[code].meaning ? pastMeanings[code] : undefined
  return meaning === undefined ? reason : { ...reason, summary: meaning, ownSummary: meaning }
}

/**
 * Explains why an order is not filled, or how it ended. Pure.
 * @returns at least one reason
 */
export function diagnose(facts: DiagnosisInput): Diagnosis {
  const [first, ...further] = inOrder(reasonsOf(facts))
  if (!first) throw new TypeError('an order without a reason')
  return { ...first, evidence: [...first.evidence, ...programmaticEvidence(facts)], further }
}

/** Sorts the reasons in the order in which they must be resolved, and adds advice to each. */
export function inOrder(reasons: readonly Reason[]): Reason[] {
  return advised(reasons.toSorted((a, b) => codeIndex(a) - codeIndex(b)))
}

/**
 * Reports whether the diagnosis needs the current funds of the account: no recent auction has checked them.
 */
export function needsBalanceRead(facts: Omit<DiagnosisInput, 'look'>): boolean {
  const { order, now, standing } = facts
  const status = orderStatus(order, now.getTime() / 1_000)
  if (order.placementError !== null) return false
  if (status === 'presignaturePending') return true
  return status === 'open' && (standing === null || isHalted(facts))
}

/** Reports whether the diagnosis needs the price now: the order book is followed, and none is stored. */
export function needsPriceRead(facts: Omit<DiagnosisInput, 'look'>): boolean {
  const { order, now, service } = facts
  const status = orderStatus(order, now.getTime() / 1_000)
  const isLive = status === 'open' || status === 'presignaturePending'
  return service.isFollowed === true && isLive && order.placementError === null && !hasPrice(facts)
}

function hasPrice(facts: Omit<DiagnosisInput, 'look'>): boolean {
  return (facts.standing?.marketGap ?? null) !== null || storedGap(facts) !== null
}

const codeIndex = ({ code }: Reason) => diagnosisCodes.indexOf(code)

function reasonsOf(facts: DiagnosisInput): Reason[] {
  const { order, now } = facts
  const status = orderStatus(order, now.getTime() / 1_000)
  const after = failedHooks(facts)
  if (status === 'fulfilled') return [filled(facts), ...after]
  const past = { ...facts, isPast: true }
  if (status === 'cancelled') return [cancelled(facts), ...partlyFilled(past), ...after]
  if (order.placementError !== null) return [neverTradable(facts)]
  if (status === 'expired')
    return [expired(facts), ...partlyFilled(past), ...keptUntilThen(past).map(toPastTense), ...after]
  return [...partlyFilled(facts), ...serviceReasons(facts), ...liveReasons(facts), ...after]
}

/** The reasons that blocked an order until it expired, as of the last auction. */
function keptUntilThen(facts: DiagnosisInput): Reason[] {
  const { standing } = facts
  if (!standing) return [...livedTooShort(facts), ...competitionReasons(facts)]
  const reasons = standingReasons(facts, standing)
  return reasons.filter(({ code }) => !generalCodes.includes(code) && code !== 'settling')
}

/** The reason for an order that expired before any auction could take it. */
function livedTooShort(facts: DiagnosisInput): Reason[] {
  const { order, service } = facts
  const { minLifetime, auctionPauseMs } = service
  const lifetime = order.effectiveValidTo - Math.floor(order.creationDate.getTime() / 1_000)
  if (lifetime >= minLifetime + auctionPauseMs / 1_000) return []
  const summary = `The order was placed ${formatSeconds(lifetime)} before it expired, and only orders with ${formatSeconds(minLifetime)} left or more are offered to solvers.`
  return [reasonOf('expiresTooSoon', null, [validityOf(facts)], summary)]
}

function liveReasons(facts: DiagnosisInput): Reason[] {
  const onTheWay = underWay(facts)
  if (onTheWay.length > 0) return onTheWay
  const time = timeReasons(facts)
  if (time.some(isTerminalCode))
    return [...time, ...accountReasons({ ...facts, isPast: true }).map(toPastTense)]
  const reasons = [...time, ...accountReasons(facts)]
  return reasons.length > 0 ? reasons : [general(facts)]
}

function timeReasons(facts: DiagnosisInput): Reason[] {
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

function accountReasons(facts: DiagnosisInput): Reason[] {
  const { order, standing, look } = facts
  const isUnsigned = order.signingScheme === 'presign' && !order.presigned
  const signature = isUnsigned ? [reasonOf('presignatureMissing', standing?.since ?? order.creationDate)] : []
  // The current state counts more than the state at the last auction.
  const now = look && look !== 'away' ? fundsReasons(facts, look, null) : []
  if (!standing)
    return [...signature, ...now, ...(facts.service.isFollowed ? priceToo(facts, standingOf(facts, {})) : [])]
  if (isUnsigned) return [...signature, ...now, ...priceToo(facts, standing)]
  const seen = standingReasons(facts, standing)
  const isSeen = (reason: Reason) => seen.some(({ code }) => code === reason.code)
  return [...now.filter((reason) => !isSeen(reason)), ...seen]
}

/** The reasons from the standing that the last auction stored. */
function standingReasons(facts: DiagnosisInput, standing: ObservedStanding): Reason[] {
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
      return [...(standing.routed === 'none' ? marketReasons(facts, standing) : []), noPrice(unpriced, since)]
    case 'settlement_failed':
      if (standing.failing) return [tradesFail(facts, standing, standing.failing)]
      if (standing.revert !== null) return [settlementReverts(standing.revert, since, facts.isPast)]
      return [reasonOf('settlementPaused', since), ...failures(attempt)]
    case 'failed_gas_spent':
      return [failedGasSpent(standing, facts.isPast), ...failures(attempt)]
    case 'document_refused':
      return [documentRefused(standing)]
    case 'auction_full':
      return [...marketReasons(facts, standing), reasonOf('outOfPlaces', since)]
    default: {
      if (standing.failing) return [tradesFail(facts, standing, standing.failing)]
      // A survey has prices of the tokens in the newest auction alone.
      const isUnpriced = facts.service.isFollowed && !facts.isPast && standing.marketGap === null
      const reasons = isUnpriced ? priceToo(facts, standing) : marketReasons(facts, standing)
      return reasons.length > 0 ? [...reasons, ...takenBack(facts)] : competitionReasons(facts)
    }
  }
}

const noPrice = (tokens: readonly Address[], since: Date | null): Reason =>
  reasonOf(
    'noNativePrice',
    since,
    tokens.map((token) => ({ kind: 'token', token })),
  )

/** Reasons that would remain if the account had the missing funds: its owner would pay gas for nothing. */
function priceToo(facts: DiagnosisInput, standing: ObservedStanding): Reason[] {
  const { unpriced = [] } = facts
  if (unpriced.length > 0) return [noPrice(unpriced, null)]
  const stored = standing.marketGap === null ? storedGap(facts) : null
  return marketReasons(facts, { ...standing, ...stored }).map((reason) => ({ ...reason, since: null }))
}

/** The reason for trades that fail independently of the order. */
function tradesFail(
  facts: DiagnosisInput,
  { revert, since }: ObservedStanding,
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
    `${trades} ${facts.isPast ? 'failed' : 'fail'}: ${foreign(answer)}.`,
  )
}

export function settlementReverts(revert: string, since: Date, isPast = false): Reason {
  const summary = `A settlement of the order alone ${isPast ? 'failed' : 'fails'}: ${foreign(revert)}.`
  return reasonOf('settlementReverts', since, [{ kind: 'revert', reason: revert }], summary)
}

/** The reason of the newest attempt, if that failed. */
function failures(attempt: DiagnosisInput['attempt']): Reason[] {
  return attempt && attempt.outcome !== null && attempt.outcome !== 'success' ? [failure(attempt)] : []
}

/** The reason for an order on which the service spends no more gas. */
function failedGasSpent({ revert, failing, since }: ObservedStanding, isPast = false): Reason {
  const reason = revert ?? 'no figure is known'
  const waits = isPast ? 'The service tried no more trades' : 'The service tries no more trades for now'
  const token: Evidence[] = failing?.kind === 'token' ? [{ kind: 'token', token: failing.address }] : []
  const evidence: Evidence[] = [...token, { kind: 'revert', reason }]
  return reasonOf('failedGasSpent', since, evidence, `${waits}: ${foreign(reason)}.`)
}

/** The reason for an order that would have been refused with its document, which came after the order. */
function documentRefused({ revert, since }: ObservedStanding): Reason {
  const reason = revert ?? 'no reason is given'
  const summary = `The document of the order, which came after it, was not accepted: ${foreign(reason)}.`
  return reasonOf('notAccepted', since, [{ kind: 'revert', reason }], summary)
}

/**
 * Returns the hooks whose gas limits are too close to what a simulation of the order used as a reason; none
 * if all limits have enough room.
 * @param ran null if the simulation does not show hooks
 */
export function tightHooks(
  hooks: Readonly<Record<HookPhase, readonly Hook[]>>,
  ran: RanHooks | null,
): Reason[] {
  const tight = hookPhases.flatMap((phase) =>
    assignHookCalls(hooks[phase], ran?.[phase] ?? []).flatMap((call, index): EvidenceOf<'hook'>[] => {
      const hook = hooks[phase][index]
      if (!hook || !call) return []
      const { outcome, gasUsed } = hookResult(call, hook)
      const { target, gasLimit } = hook
      return isLimitTight(hook, { outcome, gasUsed })
        ? [{ kind: 'hook', phase, index, target, outcome, gasLimit, gasUsed }]
        : []
    }),
  )
  const [first] = tight
  if (!first) return []
  const { phase, index, target, gasLimit, gasUsed, outcome } = first
  const limit = `its ${grouped(`${gasLimit}`)} gas units in a simulation`
  const figures =
    outcome === 'outOfGas'
      ? `ran out of ${limit}`
      : `used ${grouped(`${gasUsed}`)} of ${limit}, which leaves less than a tenth`
  const others =
    tight.length === 1 ? '' : ` The limits of ${tight.length - 1} more of its hooks are too low too.`
  const summary = `The order’s ${phase}-hook ${index}, to ${target}, ${figures}.${others}`
  return [reasonOf('hookGasTight', null, tight, summary)]
}

/** The reason if nothing blocks the order. */
function general(facts: DiagnosisInput): Reason {
  const { standing, order, service, look } = facts
  if (service.isFollowed) {
    const isRead = (standing !== null || (look !== null && look !== 'away')) && hasPrice(facts)
    return isRead
      ? reasonOf('decidedElsewhere', standing?.since ?? order.creationDate)
      : reasonOf('notReadYet', null)
  }
  if (!standing) return reasonOf('waitingForAuction', order.creationDate)
  return reasonOf('notProposed', standing.since)
}
