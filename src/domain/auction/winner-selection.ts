import type { Address } from '../evm/address.ts'
import type { Proposal, RankedSolution, Solution } from './solution.ts'

/**
 * Proposals that cannot be settled. Each maps to the solvers of the winners after which it fails; the set is
 * empty if it fails alone. Without one of these solvers the proposal counts as usable.
 */
export type Unusable = ReadonlyMap<Proposal, ReadonlySet<Address>>

/**
 * Runs a fair combinatorial auction. A solution over several pairs stays only if no pair scores less than in
 * the best usable solution for that pair alone. Then the best usable solutions with disjoint pairs win. The
 * earlier solution wins a tie, so shuffle before.
 * @returns winners by score, then other kept solutions by score, then filtered ones; uid is the index
 */
export function selectWinners(
  solutions: readonly Solution[],
  maxWinners: number,
  unusable: Unusable = new Map(),
): RankedSolution[] {
  const byScore = [...solutions].sort(descendingScore)
  const baselines = singlePairBaselines(byScore.filter(({ proposal }) => !unusable.has(proposal)))
  const fair = byScore.filter((solution) => isFair(solution, baselines))
  const winners = takeDisjoint(
    fair.filter(({ proposal }) => !unusable.has(proposal)),
    maxWinners,
  )
  const ranking = [
    ...winners,
    ...fair.filter((solution) => !winners.includes(solution)),
    ...byScore.filter((solution) => !fair.includes(solution)),
  ]
  return ranking.map((solution, uid) => ({
    ...solution,
    uid,
    ranking: uid + 1,
    isWinner: winners.includes(solution),
    filteredOut: !fair.includes(solution),
    referenceScore: winners.includes(solution) ? referenceScore(fair, solution, maxWinners, unusable) : null,
  }))
}

function descendingScore(a: Solution, b: Solution): number {
  return a.score === b.score ? 0 : a.score > b.score ? -1 : 1
}

/** The best score per pair among solutions that trade only that pair. */
function singlePairBaselines(byScore: readonly Solution[]): Map<string, bigint> {
  const baselines = new Map<string, bigint>()
  for (const { pairScores, score } of byScore) {
    const [pair] = pairScores.keys()
    if (pairScores.size === 1 && pair !== undefined && !baselines.has(pair)) baselines.set(pair, score)
  }
  return baselines
}

function isFair({ pairScores }: Solution, baselines: ReadonlyMap<string, bigint>): boolean {
  return (
    pairScores.size === 1 || [...pairScores].every(([pair, score]) => score >= (baselines.get(pair) ?? 0n))
  )
}

function takeDisjoint(byScore: readonly Solution[], maxWinners: number): Solution[] {
  const taken = new Set<string>()
  const winners: Solution[] = []
  for (const solution of byScore) {
    const pairs = [...solution.pairScores.keys()]
    if (winners.length === maxWinners || pairs.some((pair) => taken.has(pair))) continue
    for (const pair of pairs) taken.add(pair)
    winners.push(solution)
  }
  return winners
}

/** The score without the solver. Proposals that fail only after its winners become usable. */
function referenceScore(
  fair: readonly Solution[],
  { solver }: Solution,
  maxWinners: number,
  unusable: Unusable,
): bigint {
  const others = fair.filter(
    (solution) => solution.solver !== solver && unusable.get(solution.proposal)?.has(solver) !== false,
  )
  return takeDisjoint(others, maxWinners).reduce((sum, { score }) => sum + score, 0n)
}
