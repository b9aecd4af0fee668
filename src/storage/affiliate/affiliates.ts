import type { Affiliate } from '../../domain/affiliate/affiliate.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'
import { bytea, hexOf } from '../database/columns.ts'
import { type Db, sql } from '../database/database.ts'
import { prepared } from '../database/plan-names.ts'
import { readPrepared, writePrepared } from '../database/prepared.ts'
import { affiliateRow } from '../models/affiliate.ts'
import { insertColumns, rowSql, toRow } from '../query/json.ts'

interface NewAffiliate extends Affiliate {
  digest: Bytes32
  signedMessage: Hex
}

const modelColumns = insertColumns(affiliateRow, Object.keys(affiliateRow) as (keyof Affiliate)[])
const columns = [
  ...modelColumns,
  { name: 'digest', type: 'bytea' },
  { name: 'signed_message', type: 'bytea' },
]

/** SQL, like the statements below: columns and rows follow from the model. */
const insertSql = prepared(`INSERT INTO affiliates (${columns.map(({ name }) => name).join(', ')})
  VALUES (${columns.map(({ type }, index) => `$${index + 1}::${type}`).join(', ')})
  ON CONFLICT DO NOTHING RETURNING true`)

/**
 * Stores an affiliate.
 * @returns false when its wallet, code or digest is taken: the database decides which came first
 */
export async function insertAffiliate(db: Db, affiliate: NewAffiliate): Promise<boolean> {
  const rows = await writePrepared(db, insertSql, [
    ...modelColumns.map(({ valueIn }) => valueIn(affiliate)),
    bytea(affiliate.digest),
    bytea(affiliate.signedMessage),
  ])
  return rows.length > 0
}

/** Affiliate `af` as JSON text; see `toAffiliate`. */
export const affiliateJson = rowSql(affiliateRow)

const byWalletSql = prepared(`SELECT ${affiliateJson} FROM affiliates af WHERE wallet = $1::bytea`)
const enableSql = prepared(`UPDATE affiliates af SET enabled = $2 WHERE code = $1 RETURNING ${affiliateJson}`)

export async function findAffiliateByWallet(db: Db, wallet: Address): Promise<Affiliate | undefined> {
  return toAffiliate(await readPrepared(db, byWalletSql, [bytea(wallet)]))
}

/** @returns the updated affiliate; undefined when no affiliate has the code */
export async function setAffiliateEnabled(
  db: Db,
  code: string,
  enabled: boolean,
): Promise<Affiliate | undefined> {
  return toAffiliate(await writePrepared(db, enableSql, [code, enabled]))
}

/** Checks whether the wallet and the code are already registered. */
export async function findTaken(
  db: Db,
  { wallet, code }: Pick<Affiliate, 'wallet' | 'code'>,
): Promise<{ wallet: boolean; code: boolean }> {
  const rows = await sql(db).affiliate.findMany({
    where: { OR: [{ wallet: bytea(wallet) }, { code }] },
    select: { wallet: true, code: true },
  })
  return {
    wallet: rows.some((row) => hexOf(row.wallet) === wallet),
    code: rows.some((row) => row.code === code),
  }
}

function toAffiliate([row]: readonly [string][]): Affiliate | undefined {
  return row && toRow(affiliateRow, JSON.parse(row[0]))
}
