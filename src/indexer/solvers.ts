import { byLogPosition, type LogPlace } from '../chain/logs/logs.ts'
import type { AccountAt, SolverLog } from '../chain/settlement/solvers.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import { type SolverChange, solverChangesOf } from '../storage/chain/solvers.ts'
import type { Database } from '../storage/database/database.ts'
import { type BlockRange, isChainFault } from './block-range.ts'

/** Finds the solver of a settlement: the outermost of its callers that was allowed to settle. */
export interface Solvers {
  /**
   * @param callers the accounts on the path to the settlement contract, outermost first: the last one was
   *   allowed, since its call did not revert
   * @returns undefined if it is not known whether an account was allowed
   */
  outermost(callers: readonly [Address, ...Address[]], place: LogPlace): Address | undefined
}

export interface SolverReading {
  db: Database
  chainId: number
  /** Reports whether accounts could settle at the end of blocks; undefined where that is not known. */
  allowedAt?: ((accounts: readonly AccountAt[]) => Promise<(boolean | undefined)[]>) | undefined
}

/** The callers of one settlement whose permission is looked up; the solver of a deeper one is not known. */
const maxCallers = 64

/**
 * Reads for the callers of settlements when they were allowed: from the changes of the list, and from its
 * state before the first change. Without a change since, the state of the newest block is that of the
 * settlement, so that a node needs no old states. A node that does not answer leaves them unknown.
 * @param last the newest block whose changes are known
 */
export async function readSolvers(
  settled: ReadonlyMap<Bytes32, { blockNumber: number }>,
  range: Pick<BlockRange, 'settlements'> & { logs: readonly SolverLog[] },
  last: number,
  { db, chainId, allowedAt }: SolverReading,
): Promise<Solvers> {
  const asked = [...range.settlements].flatMap(([txHash, { calls }]) => {
    const block = settled.get(txHash)?.blockNumber
    if (typeof calls === 'string' || block === undefined) return []
    return calls.flatMap(({ callers }) => othersOf(callers).map((account) => ({ account, block })))
  })
  const accounts = [...new Set(asked.map(({ account }) => account))]
  if (accounts.length === 0) return solversBy([], new Map())
  const stored = await solverChangesOf(db, chainId, accounts)
  const changes = [...stored.changes, ...range.logs]
  const before = new Map<string, AccountAt>()
  for (const { account, block } of asked) {
    const first = changes.find((change) => change.account === account)
    if (first && first.blockNumber < block) continue
    const isKnownSince = stored.from !== undefined && block >= stored.from
    before.set(keyOf(account, block), {
      account,
      block: isKnownSince ? (first ? first.blockNumber - 1 : last) : block,
    })
  }
  return solversBy(changes, await statesOf(before, allowedAt))
}

/** The callers but the last, which called the settlement contract. */
const othersOf = (callers: readonly Address[]) => callers.slice(0, -1).slice(0, maxCallers)

const keyOf = (account: Address, block: number) => `${account} ${block}`

async function statesOf(
  before: ReadonlyMap<string, AccountAt>,
  allowedAt: SolverReading['allowedAt'] = async () => [],
): Promise<ReadonlyMap<string, boolean | undefined>> {
  if (before.size === 0) return new Map()
  try {
    const states = await allowedAt([...before.values()])
    return new Map([...before.keys()].map((key, index) => [key, states[index]]))
  } catch (fault) {
    if (isChainFault(fault)) return new Map()
    throw fault
  }
}

/**
 * @param changes oldest first
 * @param states of accounts before their first change, by the block of the settlement
 */
function solversBy(
  changes: readonly SolverChange[],
  states: ReadonlyMap<string, boolean | undefined>,
): Solvers {
  return {
    outermost(callers, place) {
      for (const account of othersOf(callers)) {
        const change = changes.findLast((each) => each.account === account && byLogPosition(each, place) < 0)
        const isAllowed = change ? change.isAllowed : states.get(keyOf(account, place.blockNumber))
        if (isAllowed === undefined) return undefined
        if (isAllowed) return account
      }
      return callers.length > maxCallers + 1 ? undefined : callers.at(-1)
    },
  }
}
