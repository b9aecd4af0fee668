import type { Bytes32 } from '../domain/hex.ts'
import type { Network } from '../domain/network.ts'
import { bytea, hexOf } from './columns.ts'
import { type Db, sql } from './database.ts'

/**
 * Writes the network's row, or checks it against the one that stands.
 * @throws when the chain behind this id has another genesis than before, or orders are to be signed for another contract: it is not
 * what these orders were made for
 */
export async function claimNetwork(db: Db, network: Network, genesisHash: Bytes32): Promise<void> {
  const { chainId, name, settlement } = network
  const row = { chainId, name, genesisHash: bytea(genesisHash), settlement: bytea(settlement) }
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
  // Rows from before this was told take the first that comes.
  const [claimed] = await sql(db).$queryRaw<{ settlement: Uint8Array }[]>`
    UPDATE networks SET settlement = coalesce(settlement, ${bytea(settlement)}) WHERE chain_id = ${chainId} RETURNING settlement`
  const other = claimed && hexOf(claimed.settlement)
  if (other && other !== settlement) {
    throw new Error(
      `the orders of ${name} in this database are signed for ${other}, not for ${settlement}: use another database`,
    )
  }
}
