import { setTimeout as pause } from 'node:timers/promises'
import type { SettlementOutcome } from '../../chain/settlement/settler.ts'
import type { Address } from '../../domain/evm/address.ts'
import { OutsideFault } from '../../outside/fault.ts'
import type { Assignment, OwnSubmission } from '../../solvers/solver.ts'
import { attemptState, type DelegatedAttempt, otherSettlements } from '../../storage/auction/delegations.ts'
import type { AttemptKey } from '../../storage/auction/transactions.ts'
import type { AuctionServices } from '../services.ts'

export interface Delegation extends AttemptKey {
  solver: Address
  /** The newest block when it won. */
  startBlock: number
  assignment: Assignment
}

/** Has a solver settle what it has won, and follows that on the chain until it ends. Only the solver can send the settlement. */
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
      followDelegated({ ...attempt, deadlineBlock }, services, either),
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

/** What the chain says about an attempt, as the indexer reads it: settled, or not by its deadline. */
export async function followDelegated(
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
        else if (wasNotTold(fault)) resolve(fault.reason)
      },
    )
  })
}

function wasNotTold({ reason }: OutsideFault): boolean {
  return /ECONNREFUSED|ENOTFOUND|^status /.test(reason)
}
