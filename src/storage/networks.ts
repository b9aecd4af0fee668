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
  const create = { chainId, name, genesisHash: bytea(genesisHash) }
  const row = await sql(db).network.upsert({ where: { chainId }, create, update: {} })
  const known = hexOf(row.genesisHash)
  if (known !== genesisHash) {
    throw new Error(
      `chain ${network.chainId} (${network.name}) has genesis ${genesisHash}, but this database belongs to ${known}: ` +
        'it is another chain. Use another database, or reset this one.',
    )
  }
}
