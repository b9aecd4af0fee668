import type { Bytes32 } from '../domain/hex.ts'
import type { Network } from '../domain/network.ts'
import { bytea, hexOf } from './columns.ts'
import { type Db, sql } from './database.ts'

/**
 * Writes the network's row, or checks it against the one that stands.
 * @throws when the chain behind this id has another genesis than before: it is not the chain that these orders were made for
 */
export async function claimNetwork(db: Db, network: Network, genesisHash: Bytes32): Promise<void> {
  const { chainId, name } = network
  const row = { chainId, name, genesisHash: bytea(genesisHash) }
  await sql(db).network.createMany({ data: [row], skipDuplicates: true })
  const stored = await sql(db).network.findUnique({ where: { chainId } })
  if (!stored) throw new Error(`another chain than ${chainId} is called ${name} in this database`)
  const known = hexOf(stored.genesisHash)
  if (known !== genesisHash) {
    throw new Error(
      `chain ${chainId} (${name}) has genesis ${genesisHash}, but this database belongs to ${known}: ` +
        'it is another chain. Use another database, or start the local stack with --reset.',
    )
  }
}
