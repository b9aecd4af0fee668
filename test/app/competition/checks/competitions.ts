import { nativeMarker } from '../../../../src/domain/evm/address.ts'
import { type Answer, ask, type Ground } from '../ground.ts'
import type { Failure } from './failures.ts'
import { orderScore, type Policy, type Terms } from './score.ts'
import { type Entry, selectWinners } from './selection.ts'

/** Debug reports by order. */
export type Reports = ReadonlyMap<string, Answer['body']>

interface StoredOrder {
  id: string
  sellAmount: string
  buyAmount: string
  sellToken: string
  buyToken: string
}

interface StoredSolution {
  solverAddress: string
  score: string
  isWinner: boolean
  filteredOut: boolean
  referenceScore: string | null
  orders: StoredOrder[]
}

interface Competition {
  auctionId: number
  auction: { prices: Record<string, string> }
  solutions: StoredSolution[]
}

interface Recomputed extends Entry {
  stored: StoredSolution
}

export interface SelectionResults {
  auctions: number
  solutions: number
  /** Winning solutions by account. */
  wins: Record<string, number>
  /** Auctions with a winner that failed after others, or had an order cancelled meanwhile. */
  withFailures: number
  faults: string[]
}

interface SelectionOptions {
  reports: Reports
  maxWinners: number
  failures: readonly Failure[]
}

/** Recomputes the scores and winners of every stored competition. */
export async function checkCompetitions(
  ground: Ground,
  options: SelectionOptions,
): Promise<SelectionResults> {
  const latest = await ask(ground, '/api/v2/solver_competition/latest')
  const results: SelectionResults = { auctions: 0, solutions: 0, wins: {}, withFailures: 0, faults: [] }
  if (latest.status !== 200) return { ...results, faults: ['no competition is stored'] }
  for (let id = 1; id <= latest.body.auctionId; id++) {
    const { status, body } = await ask(ground, `/api/v2/solver_competition/${id}`)
    // An auction without a solution is not stored.
    if (status === 404) continue
    results.auctions++
    results.solutions += body.solutions.length
    checkCompetition(body, options, results)
  }
  return results
}

function checkCompetition(competition: Competition, options: SelectionOptions, results: SelectionResults) {
  const { auctionId } = competition
  // Best first, which decides between equal scores.
  const entries = competition.solutions
    .toReversed()
    .map((stored) => recompute(stored, competition, options.reports, results.faults))
  for (const { stored } of entries.filter(({ stored }) => stored.isWinner))
    results.wins[stored.solverAddress] = (results.wins[stored.solverAddress] ?? 0) + 1
  const { maxWinners, failures } = options
  const known = failures.filter((failure) => failure.auctionId === auctionId)
  if (known.length > 0) results.withFailures++
  const difference = differenceOf(
    entries.map((entry) => ({ ...entry, failsAfter: failureOf(entry, known)?.after })),
    maxWinners,
  )
  if (difference) results.faults.push(`auction ${auctionId}: ${difference}`)
}

const failureOf = ({ solver, score }: Recomputed, failures: readonly Failure[]) =>
  failures.find((failure) => failure.solver === solver && failure.score === score)

/** Returns the stored values that differ from the reference selection. */
function differenceOf(entries: readonly Recomputed[], maxWinners: number): string | undefined {
  const { winners, filteredOut, references } = selectWinners(entries, maxWinners)
  for (const entry of entries) {
    const { stored, score, solver } = entry
    const who = `the solution of ${solver} with score ${score}`
    if (stored.isWinner !== winners.includes(entry))
      return `${who} ${stored.isWinner ? 'won and should not' : 'should have won'}`
    if (stored.filteredOut !== filteredOut.includes(entry))
      return `${who} ${stored.filteredOut ? 'was filtered out and should not' : 'should have been filtered out'}`
    const reference = references.get(solver)
    if (stored.isWinner && stored.referenceScore !== `${reference}`)
      return `${who} has reference ${stored.referenceScore} instead of ${reference}`
  }
  return undefined
}

/**
 * Computes scores of pairs from the orders, so that all have the same rounding; a solution's score is the
 * stored one, if right.
 */
function recompute(
  stored: StoredSolution,
  { auctionId, auction }: Competition,
  reports: Reports,
  faults: string[],
): Recomputed {
  const pairs = new Map<string, bigint>()
  let [sum, slack] = [0n, 0n]
  for (const order of stored.orders) {
    const scored = scoreOf(order, auctionId, auction.prices, reports)
    if (!scored) {
      faults.push(
        `auction ${auctionId}: ${order.id} has no valid score in the solution of ${stored.solverAddress}`,
      )
      continue
    }
    const pair = `${order.sellToken}>${wrapped(order.buyToken, auction.prices)}`
    pairs.set(pair, (pairs.get(pair) ?? 0n) + scored.score)
    sum += scored.score
    slack += scored.slack
  }
  const score = BigInt(stored.score)
  const off = score > sum ? score - sum : sum - score
  if (off > slack)
    faults.push(`auction ${auctionId}: ${stored.solverAddress} has score ${score}, its orders have ${sum}`)
  return { stored, solver: stored.solverAddress, score, pairs }
}

/** Reports whether a token is the wrapped native coin: its price is one. */
function wrapped(token: string, prices: Record<string, string>): string {
  if (token !== nativeMarker) return token
  return Object.keys(prices).find((priced) => prices[priced] === `${10n ** 18n}`) ?? token
}

function scoreOf(
  { id, sellAmount, buyAmount, buyToken }: StoredOrder,
  auctionId: number,
  prices: Record<string, string>,
  reports: Reports,
) {
  const report = reports.get(id)
  const price = prices[wrapped(buyToken, prices)]
  const auction = report?.auctions.find((each: { id: number }) => each.id === auctionId)
  if (!auction || price === undefined) return undefined
  const policies = auction.feePolicies.map(toPolicy)
  const fill = { sell: BigInt(sellAmount), buy: BigInt(buyAmount) }
  return orderScore(toTerms(report.order), policies, fill, BigInt(price))
}

function toTerms({ kind, sellAmount, buyAmount, quote }: Record<string, never> & Answer['body']): Terms {
  const terms = { kind, sellAmount: BigInt(sellAmount), buyAmount: BigInt(buyAmount) }
  if (!quote) return terms
  const [sell, buy, fee] = [quote.sellAmount, quote.buyAmount, quote.feeAmount].map(BigInt)
  return { ...terms, quote: { sellAmount: sell ?? 0n, buyAmount: buy ?? 0n, feeAmount: fee ?? 0n } }
}

function toPolicy(policy: Record<string, number> & { kind: Policy['kind'] }): Policy {
  const millionths = (factor = 0) => BigInt(Math.round(factor * 1_000_000))
  const { kind } = policy
  return {
    kind,
    factor: millionths(policy[`${kind}Factor`]),
    maxVolumeFactor: millionths(policy[`${kind}MaxVolumeFactor`]),
  }
}
