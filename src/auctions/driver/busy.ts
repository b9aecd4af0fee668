import type { Address } from '../../domain/evm/address.ts'
import { delegatedAttempts } from '../../storage/auction/delegations.ts'
import type { AuctionServices } from '../services.ts'

/** Settlements that a solver may have to submit before it is asked again. One that submits nothing takes no more places. */
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
