import { Outage } from '../../domain/errors/error.ts'
import { otherSettlements, type SettlementRow } from '../../storage/auction/delegations.ts'
import { findCheckpoint } from '../../storage/chain/log.ts'
import { minedEffects } from '../mined.ts'
import { banSolver } from '../outside.ts'
import { type AuctionServices, longestBackOff } from '../services.ts'

/**
 * Looks at what solvers settle from their own accounts without having won it: that cannot be prevented. Where the settlement contract has
 * less of a token afterwards, the solver is banned. After a restart it begins as far back as the shortest ban lasts.
 */
export function createSolverWatch(services: AuctionServices): () => Promise<void> {
  const { db, network, solvers, log } = services
  const watched = solvers.filter(({ outside }) => outside?.submits).map(({ address }) => address)
  let seen: number | undefined

  return async () => {
    const checkpoint = watched.length > 0 ? await findCheckpoint(db, network.chainId) : undefined
    if (!checkpoint) return
    const range = { from: (seen ?? checkpoint.number - longestBackOff) + 1, to: checkpoint.number }
    try {
      for (const row of await otherSettlements(db, network.chainId, watched, range))
        await check(row, services)
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
): Promise<void> {
  const { log, meter, solvers } = services
  const { changes = new Map(), left = [] } = (await minedEffects(solver, txHash, blockNumber, services)) ?? {}
  const less = [...changes].filter(([, change]) => change < 0n)
  const lost = [...less.map(([token, change]) => `${token}: ${change}`), ...left]
  if (lost.length === 0) return
  const reason = `settlement ${txHash}, of no auction, took what the settlement contract had: ${lost.join(', ')}`
  const ban = { txHash, block: blockNumber, auctionId: 0n, reason }
  if (!(await banSolver(solver, ban, services))) return
  log.error('a settlement of no auction took tokens of the settlement contract', { solver, txHash, lost })
  meter.lost(solvers.find(({ address }) => address === solver)?.name ?? solver)
}
