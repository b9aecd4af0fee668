import { checkProposal } from '../../../src/auctions/check-proposal.ts'
import { selectWinners } from '../../../src/domain/auction/winner-selection.ts'
import type { Solver } from '../../../src/solvers/solver.ts'
import { numbered, settlement, wrapped } from '../../fakes/order.ts'
import type { Instance } from './instances.ts'

export const solverOptions = {
  name: 'built-in',
  address: numbered('50'),
  settlement,
  wrappedNative: wrapped,
}

/**
 * Returns the winners' score in native coins. A winner that swaps through an earlier winner's pool does not
 * count: its amounts would not hold.
 */
export async function scoreOf(solver: Solver, { auction, pools }: Instance): Promise<number> {
  const proposals = await solver.solve(auction, { pools }, new AbortController().signal)
  const solutions = proposals.map((proposal) => {
    const solution = checkProposal(auction, solver.address, proposal, wrapped)
    if ('fault' in solution) throw new Error(solution.fault)
    return solution
  })
  const poolAddresses = new Set<string>(pools.map(({ address }) => address))
  const used = new Set<string>()
  let score = 0n
  for (const winner of selectWinners(solutions, 20).filter(({ isWinner }) => isWinner)) {
    const swapped = winner.proposal.interactions
      .map(({ target }) => target)
      .filter((target) => poolAddresses.has(target))
    if (swapped.some((pool) => used.has(pool))) continue
    for (const pool of swapped) used.add(pool)
    score += winner.score
  }
  return Number(score) / 1e18
}
