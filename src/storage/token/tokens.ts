import type { Address } from '../../domain/evm/address.ts'
import type { Token } from '../../domain/token/token.ts'
import type { Checkpoint } from '../chain/indexed-logs.ts'
import { amountOf, bytea, hexOf } from '../database/columns.ts'
import { type Database, type Db, sql, type Tx } from '../database/database.ts'
import type { Prisma } from '../generated/client.ts'

export async function findTokens(
  db: Db,
  chainId: number,
  addresses: readonly Address[],
): Promise<Map<Address, Token>> {
  const rows = await sql(db).token.findMany({ where: { chainId, address: { in: addresses.map(bytea) } } })
  return new Map(
    rows.map(({ address, chainId, symbol, name, decimals }) => [
      hexOf(address),
      { chainId, address: hexOf(address), symbol, name, decimals },
    ]),
  )
}

/**
 * Stores tokens that were read in a block that the indexer has stored: a reorg of that block deletes them. A
 * token read in an unindexed block is not stored, since no rollback would ever delete it. The lock on the
 * checkpoint orders this against the indexer; while the indexer writes, this stores none, so that no client
 * waits. In SQL: one statement, under a lock that does not wait.
 * @returns addresses of the stored tokens
 */
export async function storeReadTokens(
  db: Db,
  chainId: number,
  tokens: readonly (Token & { block: Checkpoint })[],
): Promise<Set<Address>> {
  const addresses = tokens.map(({ address }) => bytea(address))
  const numbers = tokens.map(({ block }) => BigInt(block.number))
  const hashes = tokens.map(({ block }) => bytea(block.hash))
  const rows = await sql(db).$queryRaw<{ address: Uint8Array }[]>`
    INSERT INTO tokens (chain_id, address, symbol, name, decimals, block)
    SELECT ${chainId}, t.address, t.symbol, t.name, t.decimals, t.block
    FROM unnest(${addresses}::bytea[], ${tokens.map(({ symbol }) => symbol)}::text[],
        ${tokens.map(({ name }) => name)}::text[], ${tokens.map(({ decimals }) => decimals)}::int[],
        ${numbers}::bigint[], ${hashes}::bytea[]) AS t(address, symbol, name, decimals, block, hash)
      JOIN blocks b ON b.chain_id = ${chainId} AND b.number = t.block AND b.hash = t.hash
      CROSS JOIN (SELECT 1 FROM checkpoints WHERE chain_id = ${chainId} FOR SHARE SKIP LOCKED) AS held
    ORDER BY t.address
    ON CONFLICT DO NOTHING
    RETURNING address`
  return new Set(rows.map(({ address }) => hexOf(address)))
}

/**
 * Deletes tokens that were read at this block or later: after the reorg another contract may be at their
 * addresses.
 */
export async function forgetTokensReadFrom(tx: Tx, chainId: number, block: number): Promise<void> {
  await sql(tx).token.deleteMany({ where: { chainId, block: { gte: BigInt(block) } } })
}

/** The newest trades that count for the ranks of tokens. */
const rankedTrades = 10_000

/** The rank of a price: more than both sides of all trades that count. */
const pricedRank = 1_000_000

/**
 * Writes the ranks of a network's tokens: those with a price in the newest auction first, each by how many of
 * the newest trades have it. Names, symbols and trades alone do not suffice: anyone can make them. Rows that
 * are locked wait for the next round: the indexer deletes tokens in a reorg. In SQL: sums of three tables.
 */
export async function rankTokens(db: Database, chainId: number): Promise<void> {
  await sql(db).$executeRaw`
    WITH shares AS (
      SELECT side.token, count(*) AS rank FROM (
        SELECT sell_token, buy_token FROM trades WHERE chain_id = ${chainId}
        ORDER BY block_number DESC, log_index DESC LIMIT ${rankedTrades}) t
        CROSS JOIN LATERAL (VALUES (t.sell_token), (t.buy_token)) AS side(token) GROUP BY side.token
      UNION ALL
      SELECT s.token, ${pricedRank} FROM price_series s JOIN LATERAL (
        SELECT price FROM price_changes c WHERE c.series_id = s.id ORDER BY c.auction_id DESC LIMIT 1) c ON c.price IS NOT NULL
        WHERE s.chain_id = ${chainId}
    ), ranks AS (SELECT token, sum(rank)::int AS rank FROM shares GROUP BY token),
    changes AS (
      SELECT tk.address, n.rank FROM (
        SELECT coalesce(r.token, o.address) AS address, coalesce(r.rank, 0) AS rank FROM ranks r
          FULL JOIN (SELECT address FROM tokens WHERE chain_id = ${chainId} AND rank > 0) o ON o.address = r.token) n
        JOIN tokens tk ON tk.chain_id = ${chainId} AND tk.address = n.address AND tk.rank <> n.rank
      FOR UPDATE OF tk SKIP LOCKED
    )
    UPDATE tokens tk SET rank = c.rank FROM changes c WHERE tk.chain_id = ${chainId} AND tk.address = c.address`
}

interface RecordedPrices {
  chainId: number
  tokens: readonly Address[]
  since: Date
  /** One price of each token for each span of so many milliseconds since 1970. */
  spanMs: number
}

/**
 * Prices by auctions and markets, in native atoms for 10^18 atoms: the last of each span, by the start of the
 * span, oldest first. In SQL: the last row of each group.
 */
export async function findMarketPrices(
  db: Db,
  { chainId, tokens, since, spanMs }: RecordedPrices,
): Promise<Map<Address, Map<number, bigint>>> {
  const rows = await sql(db).$queryRaw<{ token: Uint8Array; span: bigint; price: Prisma.Decimal }[]>`
    SELECT s.token, m.span, m.price FROM price_series s CROSS JOIN LATERAL (
      SELECT DISTINCT ON (span) floor(extract(epoch FROM p.at) * 1000 / ${spanMs})::bigint AS span, p.price FROM market_prices p
      WHERE p.series_id = s.id AND p.at >= ${since} ORDER BY span, p.at DESC) m
    WHERE s.chain_id = ${chainId} AND s.token = ANY(${tokens.map(bytea)}::bytea[]) ORDER BY m.span`
  const prices = new Map(tokens.map((token) => [token, new Map<number, bigint>()]))
  for (const { token, span, price } of rows)
    prices.get(hexOf(token))?.set(Number(span) * spanMs, amountOf(price))
  return prices
}
