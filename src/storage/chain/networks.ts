import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { Network } from '../../domain/network/network.ts'
import { bytea, hexOf } from '../database/columns.ts'
import { type Db, sql } from '../database/database.ts'

/**
 * Writes the network's row, or checks it against the stored one.
 * @throws when the chain with this id has another genesis, or another settlement contract, than the stored
 *   orders were signed for
 */
export async function claimNetwork(db: Db, network: Network, genesisHash: Bytes32): Promise<void> {
  const { chainId, name, settlement } = network
  const row = { chainId, name, genesisHash: bytea(genesisHash), settlement: bytea(settlement) }
  await sql(db).network.createMany({ data: [row], skipDuplicates: true })
  // Rows from before this column existed take the contract of the first process.
  await sql(db).network.updateMany({
    where: { chainId, genesisHash: row.genesisHash, settlement: null },
    data: { settlement: row.settlement },
  })
  const stored = await sql(db).network.findUnique({ where: { chainId } })
  if (!stored) throw new Error(`another chain than ${chainId} is called ${name} in this database`)
  const storedGenesis = hexOf(stored.genesisHash)
  if (storedGenesis !== genesisHash) {
    throw new Error(
      `chain ${chainId} (${name}) has genesis ${genesisHash}, but this database belongs to ${storedGenesis}: ` +
        'it is another chain. Use another database, or start the local stack with --reset.',
    )
  }
  const storedSettlement = stored.settlement && hexOf(stored.settlement)
  if (storedSettlement && storedSettlement !== settlement) {
    throw new Error(
      `the orders of ${name} in this database are signed for ${storedSettlement}, not for ${settlement}: use another database`,
    )
  }
}

/** All networks that a process has claimed, by chain id. */
export function networkIds(db: Db): Promise<{ chainId: number; name: string }[]> {
  return sql(db).network.findMany({ select: { chainId: true, name: true }, orderBy: { chainId: 'asc' } })
}
