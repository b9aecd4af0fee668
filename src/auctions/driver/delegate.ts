import { setTimeout as pause } from 'node:timers/promises'
import type { SettlementOutcome } from '../../chain/settlement/settler.ts'
import { Outage } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import { OutsideFault } from '../../outside/fault.ts'
import type { Assignment, OwnSubmission } from '../../solvers/solver.ts'
import {
  type AttemptKey,
  attemptState,
  type DelegatedAttempt,
  delegatedAttempts,
  otherSettlements,
  type SettlementRow,
} from '../../storage/auction/settlement-attempts.ts'
import { findCheckpoint } from '../../storage/chain/indexed-logs.ts'
import { endRights } from '../end-rights.ts'
import { minedEffects } from '../mined.ts'
import { banSolver } from '../outside.ts'
import { type AuctionServices, maxBackOff } from '../services.ts'

interface Delegation extends AttemptKey {
  solver: Address
  /** The newest block when it won. */
  startBlock: number
  assignment: Assignment
}

/**
 * Has a solver settle what it has won, and follows that on the chain until it ends. Only the solver can send
 * the settlement.
 */
export async function delegate(
  { assignment, ...attempt }: Delegation,
  submits: OwnSubmission,
  services: AuctionServices,
  signal: AbortSignal,
): Promise<SettlementOutcome> {
  const over = new AbortController()
  const either = AbortSignal.any([signal, over.signal])
  const { deadlineBlock } = assignment
  try {
    return await Promise.race([
      trackDelegated({ ...attempt, deadlineBlock }, services, either),
      refusalOf(submits, assignment, either).then(async (reason): Promise<SettlementOutcome> => {
        const state = await attemptState(services.db, attempt)
        if (state?.outcome === 'success' && state.txHash)
          return { outcome: 'success', txHash: state.txHash, block: state.endBlock }
        const { number: block } = await services.head()
        return { outcome: 'failed', reason, block }
      }),
    ])
  } finally {
    over.abort()
  }
}

/** Waits for the outcome of an attempt, as the indexer reads it: settled, or not by its deadline. */
export async function trackDelegated(
  attempt: Pick<DelegatedAttempt, 'auctionId' | 'solutionUid' | 'solver' | 'startBlock' | 'deadlineBlock'>,
  { db, network }: AuctionServices,
  signal: AbortSignal,
): Promise<SettlementOutcome> {
  const pollMs = Math.min(1_000, Math.max(20, network.blockTimeMs / 4))
  for (;;) {
    const state = await attemptState(db, attempt)
    if (state?.outcome === 'success' && state.txHash)
      return { outcome: 'success', txHash: state.txHash, block: state.endBlock }
    if (state?.outcome) {
      const range = { from: attempt.startBlock + 1, to: attempt.deadlineBlock }
      const [other] = await otherSettlements(db, network.chainId, [attempt.solver], range)
      const reason =
        other &&
        `the deadline passed: its transaction ${other.txHash} settles something else than it won with`
      return { outcome: 'timeout', block: state.endBlock, ...(reason && { reason }) }
    }
    if (signal.aborted) return { outcome: 'left' }
    await pause(pollMs, undefined, { signal }).catch(() => undefined)
  }
}

/** Never resolves while it may settle: an exchange that breaks off says nothing. */
function refusalOf(submits: OwnSubmission, assignment: Assignment, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    submits.settle(assignment, signal).then(
      (reason) => reason !== undefined && resolve(reason),
      (fault) => {
        if (!(fault instanceof OutsideFault)) reject(fault)
        else if (wasNotReceived(fault)) resolve(fault.reason)
      },
    )
  })
}

function wasNotReceived({ reason }: OutsideFault): boolean {
  return /ECONNREFUSED|ENOTFOUND|^status /.test(reason)
}

/**
 * Settlements that a solver may have to submit before it is asked again. One that submits nothing takes no
 * more places.
 */
const maxAssigned = 3

/** Solvers that have enough to submit. */
export async function busySolvers({
  db,
  network,
  solvers,
}: Pick<AuctionServices, 'db' | 'network' | 'solvers'>): Promise<ReadonlySet<Address>> {
  const busy = new Set<Address>()
  if (!solvers.some(({ outside }) => outside?.submits)) return busy
  const counts = new Map<Address, number>()
  for (const { solver } of await delegatedAttempts(db, network.chainId)) {
    const count = (counts.get(solver) ?? 0) + 1
    counts.set(solver, count)
    if (count >= maxAssigned) busy.add(solver)
  }
  return busy
}

/**
 * Looks at what solvers settle from their own accounts without having won it: that cannot be prevented. Where
 * the settlement contract has less of a token afterwards, the solver is banned. After a restart it begins as
 * far back as the shortest ban lasts.
 */
export function createSolverWatch(services: AuctionServices, signal: AbortSignal): () => Promise<void> {
  const { db, network, solvers, log } = services
  const watched = solvers.filter(({ outside }) => outside?.submits).map(({ address }) => address)
  let seen: number | undefined

  return async () => {
    const checkpoint = watched.length > 0 ? await findCheckpoint(db, network.chainId) : undefined
    if (!checkpoint) return
    const range = { from: (seen ?? checkpoint.number - maxBackOff) + 1, to: checkpoint.number }
    try {
      for (const row of await otherSettlements(db, network.chainId, watched, range))
        await check(row, services, signal)
      seen = checkpoint.number
    } catch (fault) {
      if (!(fault instanceof Outage)) throw fault
      log.warn('the settlements of solvers are not checked', { network: network.name, error: fault.message })
    }
  }
}

async function check(
  { solver, txHash, blockNumber }: SettlementRow,
  services: AuctionServices,
  signal: AbortSignal,
): Promise<void> {
  const { log, meter, solvers } = services
  const effects = await minedEffects(solver, txHash, blockNumber, services)
  const { changes = new Map(), left = [], rights = [] } = effects ?? {}
  const less = [...changes].filter(([, change]) => change < 0n)
  const lost = [...less.map(([token, change]) => `${token}: ${change}`), ...left]
  if (lost.length === 0) return
  endRights(rights, solver, services, signal)
  const reason = `settlement ${txHash}, of no auction, took what the settlement contract had: ${lost.join(', ')}`
  const ban = { txHash, block: blockNumber, auctionId: 0n, reason }
  if (!(await banSolver(solver, ban, services))) return
  log.error('a settlement of no auction took tokens of the settlement contract', { solver, txHash, lost })
  meter.lost(solvers.find(({ address }) => address === solver)?.name ?? solver)
}
