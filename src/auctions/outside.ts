import type { SettlementOutcome } from '../chain/settlement/settler.ts'
import type { Auction } from '../domain/auction/auction.ts'
import type { Solution } from '../domain/auction/solution.ts'
import { Outage } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import { isInvalidated } from '../domain/order/order.ts'
import { refusalNotice } from '../solvers/outside/fault-notice.ts'
import type { Notice, OutsideSolver, Solver } from '../solvers/solver.ts'
import type { AttemptKey } from '../storage/auction/transactions.ts'
import { findOrders } from '../storage/order/orders.ts'
import { submissionFault } from './driver/guard.ts'
import { type AuctionServices, longestBackOff } from './services.ts'
import { encodeSolution } from './settlement-calldata.ts'

type Services = Pick<AuctionServices, 'solvers'>

/** The solver of this account, if it is not part of this program. */
export function outsideOf(solver: Address, { solvers }: Services): OutsideSolver | undefined {
  return solvers.find(({ address }) => address === solver)?.outside
}

/** Notifies the solution's solver, if it is an outside one. */
export function notify({ solver, proposal }: Solution, notice: Notice, services: Services): void {
  outsideOf(solver, services)?.notify(proposal, notice)
}

/** The notice about a proposal that breaks a rule. */
export function faultNotice(reason: string): Notice {
  if (/no clearing price|breaks the limit price/.test(reason))
    return { kind: 'invalidClearingPrices', reason }
  if (/amount|filled|trades nothing/.test(reason)) return { kind: 'invalidExecutedAmount', reason }
  return { kind: 'driverError', reason, extra: { reason } }
}

/** The notice about a settlement that fails in a simulation. */
export function simulationNotice(
  auction: Auction,
  solution: Solution,
  revert: string,
  { network }: Pick<AuctionServices, 'network'>,
): Notice {
  const { calldata: input } = encodeSolution(auction, solution, network)
  const tx = { from: solution.solver, to: network.settlement, input, value: '0', accessList: [] }
  return {
    kind: 'simulationFailed',
    reason: revert,
    extra: { block: auction.block, tx, succeededOnce: false },
  }
}

/**
 * Of an outside solver's solutions, the best, without those whose settlement fails alone. They may not compete: each would take the place
 * of a better one, or the time of another simulation. Without the node, they are simulated when they have won.
 */
export async function withoutFailing(
  auction: Auction,
  solutions: readonly Solution[],
  outside: OutsideSolver,
  services: AuctionServices,
): Promise<Solution[]> {
  const byScore = solutions.toSorted((a, b) => Number(b.score > a.score) - Number(b.score < a.score))
  const reason = `only the best ${outside.maxProposals} solutions of an answer compete`
  for (const { proposal } of byScore.slice(outside.maxProposals))
    outside.notify(proposal, { kind: 'driverError', reason, extra: { reason } })
  const checked = await Promise.all(
    byScore.slice(0, outside.maxProposals).map(async (solution) => {
      const failed = await revertOf(auction, solution, services)
      if (!failed) return [solution]
      const notice = simulationNotice(auction, failed.solution, failed.revert, services)
      outside.notify(solution.proposal, notice)
      return []
    }),
  )
  return checked.flat()
}

/**
 * Without solutions that bring an order which was placed with the service: solvers know its signature, but its owner may have cancelled
 * it, and the service decides when it is traded.
 */
export async function withoutPlaced(
  solutions: Solution[],
  outside: OutsideSolver,
  { db }: Pick<AuctionServices, 'db'>,
): Promise<Solution[]> {
  const uids = solutions.flatMap(({ proposal }) => (proposal.jitOrders ?? []).map(({ order }) => order.uid))
  if (uids.length === 0) return solutions
  const stored = await findOrders(db, uids)
  const placed = new Set(
    stored.filter((order) => order.class !== 'liquidity' || isInvalidated(order)).map(({ uid }) => uid),
  )
  return solutions.filter(({ proposal }) => {
    const known = proposal.jitOrders?.find(({ order }) => placed.has(order.uid))
    if (known) outside.notify(proposal, refusalNotice(`order ${known.order.uid} was placed with the service`))
    return !known
  })
}

/** Why its settlement fails. One that leaves interactions out has to pass in both forms: with them, it shows that it was possible. */
async function revertOf(
  auction: Auction,
  solution: Solution,
  services: AuctionServices,
): Promise<{ solution: Solution; revert: string } | undefined> {
  const { uninternalized } = solution.proposal
  const forms = uninternalized ? [{ ...solution, proposal: uninternalized }, solution] : [solution]
  try {
    const reverts = await Promise.all(forms.map((form) => revertAlone(auction, form, services)))
    const index = reverts.findIndex((revert) => revert !== undefined)
    const [form, revert] = [forms[index], reverts[index]]
    if (!form || revert === undefined) return undefined
    const isWhole = form.proposal === uninternalized
    return { solution: form, revert: isWhole ? `with the interactions that are left out: ${revert}` : revert }
  } catch (fault) {
    if (!(fault instanceof Outage)) throw fault
    return uninternalized && { solution, revert: 'not simulated with the interactions that are left out' }
  }
}

async function revertAlone(
  auction: Auction,
  solution: Solution,
  services: AuctionServices,
): Promise<string | undefined> {
  // The service does not send it, so it is not simulated again.
  if (solution.proposal.submission) return submissionFault(auction, solution, services)
  const { network, sequence } = services
  const [simulation] = await sequence.simulate([encodeSolution(auction, solution, network)])
  return simulation && 'revert' in simulation ? simulation.revert : undefined
}

/** The notice about how an attempt to settle ended; none if this process does not see its end. */
export function outcomeNotice(outcome: SettlementOutcome): Notice | undefined {
  switch (outcome.outcome) {
    case 'left':
      return undefined
    case 'success':
      return { kind: 'success', reason: 'settled', extra: { transaction: outcome.txHash } }
    case 'timeout':
      return { kind: 'expired', reason: outcome.reason ?? 'the deadline passed before it was mined' }
    case 'withdrawn':
      return { kind: 'cancelled', reason: 'its orders were cancelled' }
    case 'failed': {
      const { reason, txHash } = outcome
      return txHash ? { kind: 'revert', reason, extra: { transaction: txHash } } : { kind: 'fail', reason }
    }
  }
}

const pauseKey = (solver: Address) => `solver:${solver}`

/** A settlement that fails after it has won pauses its solver, longer each time; a success ends that. */
export function pauseSolver(
  solver: Address,
  block: number,
  { culprits }: Pick<AuctionServices, 'culprits'>,
): void {
  culprits.fail(pauseKey(solver), block, { reason: null })
}

export function forgiveSolver(solver: Address, { culprits }: Pick<AuctionServices, 'culprits'>): void {
  culprits.forgive(pauseKey(solver))
}

const banKey = (solver: Address) => `banned:${solver}`

/** Not asked for the longest time, also if a settlement succeeds meanwhile. */
export function banSolver(
  solver: Address,
  block: number,
  reason: string,
  { auctionId }: AttemptKey,
  services: Pick<AuctionServices, 'solvers' | 'culprits' | 'network' | 'now'>,
): void {
  const { culprits, network, now } = services
  culprits.ban(banKey(solver), block, { reason: null })
  const until = new Date(now() + longestBackOff * network.blockTimeMs).toISOString()
  outsideOf(solver, services)?.notifyOfAuction?.(auctionId, {
    kind: 'banned',
    reason,
    extra: { reason, until },
  })
}

/** The solvers that this auction asks. */
export function askedSolvers({ block }: Auction, { solvers, culprits }: AuctionServices): Solver[] {
  const isPaused = (address: Address) =>
    [pauseKey, banKey].some((key) => culprits.waiting(key(address), block) !== undefined)
  return solvers.filter(({ address, outside }) => !outside || !isPaused(address))
}
