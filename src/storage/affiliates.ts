import type { Address } from '../domain/address.ts'
import type { Affiliate } from '../domain/affiliate.ts'
import type { Bytes32, Hex } from '../domain/hex.ts'
import { bytea, json } from './columns.ts'
import { type Db, prepared, readPrepared } from './database.ts'

export interface NewAffiliate extends Affiliate {
  digest: Bytes32
  signedMessage: Hex
}

const insertSql = prepared(`INSERT INTO affiliates (wallet, code, digest, signed_message, enabled, created_at,
    reward_amount, trigger_volume, time_cap_days, volume_cap,
    revenue_split_affiliate_pct, revenue_split_trader_pct, revenue_split_dao_pct)
  VALUES ($1, $2, $3, $4, $5, $6, $7::numeric, $8::numeric, $9, $10::numeric, $11::numeric, $12::numeric, $13::numeric)
  ON CONFLICT DO NOTHING RETURNING true`)

/** Stores it unless its wallet, its code or its digest is there already: the database decides who came first. @returns whether it did */
export async function insertAffiliate(db: Db, affiliate: NewAffiliate): Promise<boolean> {
  const stored = await readPrepared(db, insertSql, [
    bytea(affiliate.wallet),
    affiliate.code,
    bytea(affiliate.digest),
    bytea(affiliate.signedMessage),
    affiliate.enabled,
    affiliate.createdAt,
    affiliate.rewardAmount,
    affiliate.triggerVolume,
    affiliate.timeCapDays,
    affiliate.volumeCap,
    affiliate.revenueSplitAffiliatePct,
    affiliate.revenueSplitTraderPct,
    affiliate.revenueSplitDaoPct,
  ])
  return stored.length > 0
}

const decimal = (column: string) => `trim_scale(${column})::text`

/** An affiliate as one column. */
export const affiliateJson = `json_build_object(
  'wallet', ${json.hex('wallet')}, 'code', code, 'enabled', enabled, 'createdAt', ${json.time('created_at')},
  'rewardAmount', ${decimal('reward_amount')}, 'triggerVolume', ${decimal('trigger_volume')},
  'timeCapDays', time_cap_days, 'volumeCap', ${decimal('volume_cap')},
  'revenueSplitAffiliatePct', ${decimal('revenue_split_affiliate_pct')},
  'revenueSplitTraderPct', ${decimal('revenue_split_trader_pct')},
  'revenueSplitDaoPct', ${decimal('revenue_split_dao_pct')})`

const byWalletSql = prepared(`SELECT ${affiliateJson} FROM affiliates WHERE wallet = $1::bytea`)
const byCodeSql = prepared(`SELECT ${affiliateJson} FROM affiliates WHERE code = $1`)
const enableSql = prepared(`UPDATE affiliates SET enabled = $2 WHERE code = $1 RETURNING ${affiliateJson}`)
const takenSql =
  prepared(`SELECT coalesce(bool_or(wallet = $1::bytea), false), coalesce(bool_or(code = $2), false)
  FROM affiliates WHERE wallet = $1::bytea OR code = $2`)

export async function findAffiliateByWallet(db: Db, wallet: Address): Promise<Affiliate | undefined> {
  return toAffiliate(await readPrepared(db, byWalletSql, [bytea(wallet)]))
}

/** Also one that is disabled. */
export async function findAffiliateByCode(db: Db, code: string): Promise<Affiliate | undefined> {
  return toAffiliate(await readPrepared(db, byCodeSql, [code]))
}

/** @returns as it is then; undefined where nobody has the code */
export async function setAffiliateEnabled(
  db: Db,
  code: string,
  enabled: boolean,
): Promise<Affiliate | undefined> {
  return toAffiliate(await readPrepared(db, enableSql, [code, enabled]))
}

/** Which of the two somebody has, each alone. */
export async function findTaken(
  db: Db,
  { wallet, code }: Pick<Affiliate, 'wallet' | 'code'>,
): Promise<{ wallet: boolean; code: boolean }> {
  const [row] = await readPrepared<[boolean, boolean]>(db, takenSql, [bytea(wallet), code])
  return { wallet: row?.[0] === true, code: row?.[1] === true }
}

type AffiliateJson = Omit<Affiliate, 'createdAt'> & { createdAt: number }

function toAffiliate([row]: [AffiliateJson][]): Affiliate | undefined {
  return row && { ...row[0], createdAt: new Date(row[0].createdAt) }
}
