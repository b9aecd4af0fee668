import { NotOffered } from '../chain/bundle/run.ts'
import type { BalanceChange, Footprint } from '../chain/settlement/effects.ts'
import { decodeForeign } from '../chain/settlement/foreign-call.ts'
import { Outage } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import type { Interaction } from '../domain/order/order.ts'
import { storeChanges } from '../storage/auction/bookings.ts'
import type { AttemptKey } from '../storage/auction/transactions.ts'
import { rightsFault } from './driver/calls.ts'
import { isBalance, isPlain, leftBehind } from './inspection.ts'
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
>

/** The effects of a mined settlement on what the settlement contract has. */
export interface MinedEffects {
  /** By token, in atoms. */
  changes: ReadonlyMap<Address, bigint>
  /** Rights and positions of the settlement contract that it changed, in words. */
  left: readonly string[]
}

/**
 * Compares what a mined settlement left in the settlement contract with its bookings, and stores it. Less than it had to leave is a
 * fault, and so is a right that it left: whatever a simulation and the settlement itself have checked, its solver is banned.
 */
export async function checkSettled(
  attempt: AttemptKey,
  solver: Address,
  { txHash, block }: { txHash: Bytes32; block: number },
  services: Services,
): Promise<void> {
  const { db, log, meter, solvers } = services
  const about = { auctionId: String(attempt.auctionId), solutionUid: attempt.solutionUid, txHash }
  try {
    const effects = await minedEffects(solver, txHash, block, services)
    // A reorg took it back. The indexer sees it when it returns.
    if (!effects) return
    const slippage = await storeChanges(db, attempt, effects.changes)
    const lost = slippage.filter(({ change, least }) => change < least)
    if (lost.length === 0 && effects.left.length === 0) return
    const tokens = [
      ...lost.map(({ token, change, least }) => `${token}: ${change} instead of ${least}`),
      ...effects.left,
    ]
    const reason = `settlement ${txHash} left less than it had to: ${tokens.join(', ')}`
    const { auctionId } = attempt
    if (!(await banSolver(solver, { txHash, block, auctionId, reason }, services))) return
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
 * Reads what a mined settlement changed: by its logs, and where it makes calls of its own by a trace, which shows what contracts do not log.
 * @returns undefined where it is not on chain
 * @throws Outage
 */
export async function minedEffects(
  solver: Address,
  txHash: Bytes32,
  block: number,
  services: Services,
): Promise<MinedEffects | undefined> {
  const changes = await services.balanceChanges(txHash)
  if (!changes) return undefined
  const calls = outsideOf(solver, services) ? await ownCalls(txHash, services) : []
  if (calls !== 'hidden' && calls.every((call) => isPlain(call, services))) {
    const right = rightsFault(calls)
    return { changes, left: right === undefined ? [] : [right] }
  }
  const footprint = await footprintOf(txHash, services)
  const tokens = [...new Set(footprint.writes.map(({ contract }) => contract))]
  const balances = tokens.length > 0 ? await services.balancesAround(tokens, block) : new Map()
  const left = footprint.writes.filter((write) => !isBalance(write, { balances }))
  return {
    changes: new Map([...silentChanges(balances), ...changes]),
    left: left.map((write) => leftBehind(write).reason),
  }
}

/** The calls of the settlement contract in a transaction; `hidden` where it calls the settlement contract through another one. */
async function ownCalls(
  txHash: Bytes32,
  { network, effects }: Pick<Services, 'network' | 'effects'>,
): Promise<readonly Interaction[] | 'hidden'> {
  const { to, input } = await effects.minedCall(txHash)
  const settlement = to === network.settlement ? decodeForeign(input) : undefined
  return settlement ? settlement.interactions.flat() : 'hidden'
}

async function footprintOf(
  txHash: Bytes32,
  { effects, log }: Pick<Services, 'effects' | 'log'>,
): Promise<Footprint> {
  try {
    return await effects.minedFootprint(txHash)
  } catch (fault) {
    if (!(fault instanceof NotOffered)) throw fault
    log.warn('what a settlement left behind is not traced', { txHash, error: fault.message })
    return { writes: [], reads: [] }
  }
}

/** Less of a token that no log says. */
function silentChanges(balances: ReadonlyMap<Address, BalanceChange>): [Address, bigint][] {
  return [...balances].flatMap(([token, { before, after }]): [Address, bigint][] =>
    after < before ? [[token, after - before]] : [],
  )
}
