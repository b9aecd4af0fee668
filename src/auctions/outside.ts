import type { SettlementOutcome } from '../chain/settlement/settler.ts'
import type { Auction } from '../domain/auction/auction.ts'
import type { Proposal, Solution } from '../domain/auction/solution.ts'
import { Outage } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import { isInvalidated } from '../domain/order/order.ts'
import type { Fault } from '../domain/settlement/execution.ts'
import { refusalNotice } from '../solvers/outside/notices.ts'
import type { Notice, OutsideSolver } from '../solvers/solver.ts'
import { bansAt, storeBan } from '../storage/auction/bans.ts'
import { findOrders } from '../storage/order/orders.ts'
import { type Danger, dangerOf, guardedSolution, wholeDanger } from './inspection.ts'
import { type AuctionServices, maxBackOff } from './services.ts'
import { encodeSolution } from './settlement-calldata.ts'

type Services = Pick<AuctionServices, 'solvers'>

/** Keeps a proposal out of the competition, and notifies its solver. */
export type Refuse = (proposal: Proposal, notice: Notice) => void

/** The solver of this account, if it is not part of this program. */
export function outsideOf(solver: Address, { solvers }: Services): OutsideSolver | undefined {
  return solvers.find(({ address }) => address === solver)?.outside
}

/** Notifies the solution's solver, if it is an outside one. */
export function notify({ solver, proposal }: Solution, notice: Notice, services: Services): void {
  if (proposal.origin) outsideOf(solver, services)?.notify(proposal.origin, notice)
}

/** The notice about a proposal that breaks a rule. */
export function auctionFaultNotice({ fault: reason, code }: Fault): Notice {
  if (code === 'invalid_price') return { kind: 'invalidClearingPrices', code, reason }
  if (code === 'invalid_amount') return { kind: 'invalidExecutedAmount', code, reason }
  return refusalNotice(code, reason)
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
 * Returns the best solutions of an outside solver as they would be sent, without those that fail alone or
 * endanger what the settlement contract holds. They may not compete: each would take the place of a better
 * one, or the time of another simulation.
 */
export async function safeSolutions(
  auction: Auction,
  solutions: readonly Solution[],
  outside: OutsideSolver,
  services: AuctionServices,
  refuse: Refuse,
): Promise<Solution[]> {
  const byScore = solutions.toSorted((a, b) => Number(b.score > a.score) - Number(b.score < a.score))
  const reason = `only the best ${outside.maxProposals} solutions of an answer compete`
  for (const { proposal } of byScore.slice(outside.maxProposals))
    refuse(proposal, refusalNotice('too_many', reason))
  const checked = await Promise.all(
    byScore.slice(0, outside.maxProposals).map(async (solution) => {
      const outcome = await safeSolution(auction, solution, services)
      if (!('reason' in outcome)) return [outcome]
      refuse(solution.proposal, dangerNotice(auction, solution, outcome, services))
      if (outcome.isForged) {
        const { solver } = solution
        services.log.warn('a solution reverts with the words of the guard contract', { solver, ...outcome })
        pauseSolver(solver, auction.block, services)
      }
      return []
    }),
  )
  return checked.flat()
}

async function safeSolution(
  auction: Auction,
  solution: Solution,
  services: AuctionServices,
): Promise<Solution | Danger> {
  // The service does not send it, so nothing is added to it.
  if (solution.proposal.submission) return (await dangerOf(auction, solution, services)) ?? solution
  const safe = await guardedSolution(auction, solution, services)
  if ('reason' in safe) return safe
  const { uninternalized } = safe.proposal
  if (!uninternalized) return safe
  // With the interactions that are left out, it shows that the trades were possible.
  const whole = await wholeDanger(auction, { ...safe, proposal: uninternalized }, services)
  return whole ?? safe
}

/** The notice about a solution that may not be sent. */
function dangerNotice(
  auction: Auction,
  solution: Solution,
  { code, reason, reverts }: Danger,
  services: Pick<AuctionServices, 'network'>,
): Notice {
  return reverts
    ? { ...simulationNotice(auction, solution, reason, services), code }
    : refusalNotice(code, reason)
}

/**
 * Leaves out solutions that bring an order which was placed with the service: solvers know its signature, but
 * its owner may have cancelled it, and the service decides when it is traded.
 */
export async function withoutPlaced(
  solutions: Solution[],
  refuse: Refuse,
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
    if (known)
      refuse(proposal, refusalNotice('own_order', `order ${known.order.uid} was placed with the service`))
    return !known
  })
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
  { backOffs }: Pick<AuctionServices, 'backOffs'>,
): void {
  backOffs.fail(pauseKey(solver), block, { reason: null })
}

export function endSolverPause(solver: Address, { backOffs }: Pick<AuctionServices, 'backOffs'>): void {
  backOffs.forgive(pauseKey(solver))
}

export function isPaused(
  solver: Address,
  block: number,
  { backOffs }: Pick<AuctionServices, 'backOffs'>,
): boolean {
  return backOffs.waiting(pauseKey(solver), block) !== undefined
}

const dayMs = 86_400_000

/**
 * Bans a solver for the longest back-off, and twice as long for each further ban within 30 days, up to a
 * week. The ban is stored: no settlement that succeeds, restart or change of the leader ends it.
 * @returns whether that is news
 */
export async function banSolver(
  solver: Address,
  { txHash, block, auctionId, reason }: { txHash: Bytes32; block: number; auctionId: bigint; reason: string },
  services: Pick<AuctionServices, 'db' | 'solvers' | 'network' | 'now'>,
): Promise<boolean> {
  const { db, now } = services
  const { chainId, blockTimeMs } = services.network
  const ban = { chainId, solver, txHash, block, reason, at: new Date(now()) }
  const max = Math.ceil((7 * dayMs) / blockTimeMs)
  const since = new Date(now() - 30 * dayMs)
  const last = await storeBan(db, ban, { first: maxBackOff, max, since })
  if (last === undefined) return false
  const until = new Date(now() + (last - block) * blockTimeMs).toISOString()
  outsideOf(solver, services)?.notify(
    { auctionId, solutionIds: [] },
    {
      kind: 'banned',
      reason,
      extra: { reason, until },
    },
  )
  return true
}

/** The solvers that this auction does not ask, with the reason. */
export async function pausedSolvers(
  { block }: Pick<Auction, 'block'>,
  services: Pick<
    AuctionServices,
    'db' | 'network' | 'solvers' | 'backOffs' | 'effects' | 'heldTokens' | 'meter' | 'log'
  >,
): Promise<ReadonlyMap<Address, string>> {
  const { db, network, solvers, backOffs } = services
  const outside = solvers.filter((solver) => solver.outside)
  if (outside.length === 0) return new Map()
  const blind = await whyNotInspected(services)
  if (blind !== undefined) return new Map(outside.map(({ address }) => [address, blind]))
  const bans = await bansAt(db, network.chainId, block)
  return new Map(
    outside.flatMap(({ address }): [Address, string][] => {
      const last = bans.get(address)
      if (last !== undefined) return [[address, `is banned up to block ${last}`]]
      return isPaused(address, block, { backOffs }) ? [[address, 'is paused after a failure']] : []
    }),
  )
}

/** Why no settlement of an outside solver can be inspected now. */
async function whyNotInspected({
  effects,
  heldTokens,
  meter,
  log,
}: Pick<AuctionServices, 'effects' | 'heldTokens' | 'meter' | 'log'>): Promise<string | undefined> {
  try {
    const support = await effects.support()
    meter.inspects(support)
    if (!support.logs) return 'cannot be checked: the node has neither eth_simulateV1 nor debug_traceCall'
    return heldTokens.isReady() ? undefined : 'waits: it is not known yet what the settlement contract holds'
  } catch (fault) {
    if (!(fault instanceof Outage)) throw fault
    log.warn('no outside solver is asked', { error: fault.message })
    return 'cannot be checked: the node does not answer'
  }
}
