import { NotOffered } from '../chain/bundle/simulate-v1.ts'
import { decodeForeign } from '../chain/settlement/call.ts'
import type { BalanceChange, Footprint } from '../chain/settlement/effects.ts'
import { Outage } from '../domain/errors/error.ts'
import { type Address, nativeMarker } from '../domain/evm/address.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import type { Right } from '../domain/settlement/rights.ts'
import { storeChanges } from '../storage/auction/accounting.ts'
import type { AttemptKey } from '../storage/auction/settlement-attempts.ts'
import { rightsFault } from './driver/check-submission.ts'
import { endRights, possibleRights } from './end-rights.ts'
import { approvalsIn, isPlain, leftText, readText, unexplained } from './footprint.ts'
import { maxTracedGas } from './inspection.ts'
import { banSolver, outsideOf } from './outside.ts'
import type { AuctionServices } from './services.ts'

type Services = Pick<
  AuctionServices,
  | 'db'
  | 'log'
  | 'meter'
  | 'solvers'
  | 'network'
  | 'now'
  | 'balanceChanges'
  | 'balancesAround'
  | 'effects'
  | 'knownPools'
  | 'heldTokens'
  | 'head'
  | 'settlers'
  | 'rights'
>

/** The effects of a mined settlement on what the settlement contract has. */
interface MinedEffects {
  /** Atoms by token. */
  changes: ReadonlyMap<Address, bigint>
  /** Rights and positions of the settlement contract that it changed, in words. */
  left: readonly string[]
  /** The rights of known kinds that it may have given, if it left any. */
  rights: readonly Right[]
}

/**
 * Compares what a mined settlement left in the settlement contract with its bookings, and stores it. Less
 * than it had to leave is a fault, and so is a right that it left: its solver is banned, even if a simulation
 * and the settlement itself found no fault.
 */
export async function checkSettled(
  attempt: AttemptKey,
  solver: Address,
  { txHash, block }: { txHash: Bytes32; block: number },
  services: Services,
  signal: AbortSignal,
): Promise<void> {
  const { db, log, meter, solvers } = services
  const about = { auctionId: String(attempt.auctionId), solutionUid: attempt.solutionUid, txHash }
  try {
    const effects = await minedEffects(solver, txHash, block, services)
    // A reorg took the settlement back. The indexer sees the settlement when it returns.
    if (!effects) return
    const slippage = await storeChanges(db, attempt, effects.changes)
    const lost = slippage.filter(({ change, least }) => change < least)
    if (lost.length === 0 && effects.left.length === 0) return
    endRights(effects.rights, solver, services, signal)
    const tokens = [
      ...lost.map(({ token, change, least }) => `${token}: ${change} instead of ${least}`),
      ...effects.left,
    ]
    const reason = `settlement ${txHash} left less than it had to: ${tokens.join(', ')}`
    const { auctionId } = attempt
    const isOutside = outsideOf(solver, services) !== undefined
    if (isOutside && !(await banSolver(solver, { txHash, block, auctionId, reason }, services))) return
    log.error('a settlement left the settlement contract with less than it had to', {
      ...about,
      solver,
      tokens,
    })
    meter.lost(solvers.find(({ address }) => address === solver)?.name ?? solver)
  } catch (fault) {
    if (!(fault instanceof Outage)) throw fault
    log.warn('what a settlement changed is not read', { ...about, error: fault.message })
  }
}

/**
 * Reads what a mined settlement changed: by its logs, and where it makes calls of its own by a trace, which
 * shows what contracts do not log.
 * @returns undefined where it is not on chain
 * @throws Outage
 */
export async function minedEffects(
  solver: Address,
  txHash: Bytes32,
  block: number,
  services: Services,
): Promise<MinedEffects | undefined> {
  const logged = await services.balanceChanges(txHash)
  if (!logged) return undefined
  const outside = outsideOf(solver, services)
  if (!outside) return { changes: logged, left: [], rights: [] }
  const { to, input, gasUsed, logs } = await services.effects.minedCall(txHash)
  const settlement = to === services.network.settlement ? decodeForeign(input) : undefined
  const calls = settlement?.interactions.flat()
  const tokens = new Set([...(settlement?.tokens ?? []), ...services.heldTokens.list()])
  const isToken = (target: Address) => tokens.has(target)
  const isKnown = calls?.every((call) => isPlain(call, services, isToken)) ?? false
  const approvals = approvalsIn(calls ?? [])
  const right = calls && rightsFault(calls)
  const { footprint, fault } = isKnown ? nothing : await footprintOf(txHash, gasUsed, services)
  const written = footprint.writes.map(({ contract }) => contract)
  const used = footprint.reads.flatMap(({ path }) => path.map(({ contract }) => contract))
  const lower = [...logged].flatMap(([token, change]) => (change < 0n ? token : []))
  const asked = [...new Set([...written, ...used, ...lower])].filter((token) => token !== nativeMarker)
  const balances: ReadonlyMap<Address, BalanceChange> =
    asked.length > 0 ? await services.balancesAround(asked, block) : new Map()
  const { writes, reads } = await unexplained(footprint, {
    ...services,
    balances,
    approvals,
  })
  // The guard has compared balances on chain: a log that says otherwise is made up.
  const isGuarded = services.network.balanceGuard !== undefined && !outside.submits
  const isReal = (token: Address, change: bigint) => {
    if (change >= 0n || written.includes(token) || isHeld(token, services)) return true
    const balance = balances.get(token)
    return !isGuarded && (balance === undefined || balance.after < balance.before)
  }
  const left = [
    ...(right === undefined ? [] : [right]),
    ...(fault === undefined ? [] : [fault]),
    ...writes.map(leftText),
    ...reads.map(readText),
  ]
  const giving = new Set([
    ...writes.map(({ contract }) => contract),
    ...(right === undefined ? [] : approvals.map(({ token }) => token)),
  ])
  return {
    left,
    rights: left.length > 0 ? possibleRights(giving, calls ?? [], logs, services.network.settlement) : [],
    changes: new Map([
      ...silentChanges(written, balances),
      ...[...logged].filter(([token, change]) => isReal(token, change)),
    ]),
  }
}

const nothing: { footprint: Footprint; fault: string | undefined } = {
  footprint: { writes: [], reads: [] },
  fault: undefined,
}

/** Returns true if the token is known and has a value: it does not make up its logs to harm a solver. */
function isHeld(token: Address, { network, heldTokens }: Pick<Services, 'network' | 'heldTokens'>): boolean {
  return token === nativeMarker || token === network.wrappedNative || heldTokens.list().includes(token)
}

/**
 * Traces a mined settlement. `fault` says that it does more than is followed; a node that traces nothing, or
 * not in time, is no fault of the solver.
 */
async function footprintOf(
  txHash: Bytes32,
  gasUsed: bigint,
  { effects, log }: Pick<Services, 'effects' | 'log'>,
): Promise<typeof nothing> {
  if (gasUsed > maxTracedGas)
    return {
      ...nothing,
      fault: `it uses ${gasUsed} gas: with calls of its own, a settlement may use ${maxTracedGas}`,
    }
  try {
    return { ...nothing, footprint: await effects.minedFootprint(txHash) }
  } catch (fault) {
    if (!(fault instanceof NotOffered || fault instanceof Outage)) throw fault
    log.error('what a settlement left behind is not traced', { txHash, error: fault.message })
    const isItsOwn = fault instanceof NotOffered && !fault.isMissing
    return isItsOwn ? { ...nothing, fault: `it does more than is followed: ${fault.message}` } : nothing
  }
}

/** Returns by how much balances are lower that no log shows. */
function silentChanges(
  written: readonly Address[],
  balances: ReadonlyMap<Address, BalanceChange>,
): [Address, bigint][] {
  return written.flatMap((token): [Address, bigint][] => {
    const balance = balances.get(token)
    return balance && balance.after < balance.before ? [[token, balance.after - balance.before]] : []
  })
}
