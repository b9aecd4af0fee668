import { expect } from 'vitest'
import { checkProposal } from '../../src/auctions/check-proposal.ts'
import { toSettlementPlan } from '../../src/auctions/settlement-calldata.ts'
import type { AuctionOrder } from '../../src/domain/auction/auction.ts'
import type { Solution } from '../../src/domain/auction/solution.ts'
import { selectWinners } from '../../src/domain/auction/winner-selection.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import type { Pool } from '../../src/domain/routing/pool.ts'
import { createBuiltInSolver } from '../../src/solvers/built-in/solver.ts'
import { numbered, sampleAuction, settlement, wrapped } from './order.ts'
import { simulate } from './settlement-simulator.ts'

export const solver = createBuiltInSolver({
  name: 'built-in',
  address: numbered('50'),
  settlement,
  wrappedNative: wrapped,
})
/** The best valid solution, and what remains of each token beyond its network fees. */
export async function solve(entries: AuctionOrder[], pools: Pool[], gasPrice?: bigint) {
  const auction = sampleAuction(entries, gasPrice)
  const proposals = await solver.solve(auction, { pools }, new AbortController().signal)
  const solutions = proposals.map((proposal): Solution => {
    const solution = checkProposal(auction, solver.address, proposal, wrapped)
    if ('fault' in solution) throw new Error(solution.fault)
    return solution
  })
  const winners = selectWinners(solutions, 20).filter(({ isWinner }) => isWinner)
  const rest = winners.map((winner) => {
    const { left } = simulate(toSettlementPlan(auction, winner, wrapped), pools)
    for (const { orderUid, fee } of winner.proposal.trades) {
      const sellToken = entries.find(({ order }) => order.uid === orderUid)?.order.sellToken
      if (sellToken) left.set(sellToken, (left.get(sellToken) ?? 0n) - fee)
    }
    return left
  })
  return { solutions, winners, rest }
}

export function expectNothingLeft(rest: readonly ReadonlyMap<Address, bigint>[], max: bigint) {
  for (const left of rest) {
    for (const [token, amount] of left) {
      expect([token, amount >= 0n && amount <= max]).toEqual([token, true])
    }
  }
}
