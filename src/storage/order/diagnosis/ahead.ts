import type { Address } from '../../../domain/evm/address.ts'
import { unixSeconds } from '../../../domain/log.ts'
import type { OrderUid } from '../../../domain/order/uid.ts'
import { bytea } from '../../database/columns.ts'
import type { Db } from '../../database/database.ts'
import { boolean } from '../../query/codec.ts'
import { derived } from '../../query/model.ts'
import { type RowFields, rowSql, toRow } from '../../query/row.ts'
import { ownParam } from '../../query/selected.ts'
import { numberParameters, runStatement } from '../../query/statement.ts'
import { type StoredFacts, type SurroundingsJson, surroundings, toSurroundings } from './facts.ts'

/** What is stored that bears on an order before it is placed. */
export type FactsAhead = Pick<StoredFacts, 'tokens' | 'market' | 'service'> & {
  /** Whether it is signed on chain already. */
  presigned: boolean
}

export interface AheadQuestion {
  chainId: number
  sellToken: Address
  buyToken: Address
  /** Null where it is not known yet. */
  uid: OrderUid | null
  now: Date
}

const aheadFields: RowFields<Pick<FactsAhead, 'presigned'>> = {
  presigned: derived(
    boolean,
    `coalesce((SELECT p.signed FROM presignatures p WHERE p.order_uid = o.uid AND p.chain_id = o.chain_id
      ORDER BY p.block_number DESC, p.log_index DESC LIMIT 1), false)`,
    '',
  ),
}

const statement = numberParameters(`SELECT ${rowSql(aheadFields, surroundings)}
  FROM (SELECT ${ownParam(0)}::int4 AS chain_id, ${ownParam(1)}::bytea AS sell_token, ${ownParam(2)}::bytea AS buy_token,
    ${ownParam(3)}::bytea AS uid) o
  LEFT JOIN checkpoints cp ON cp.chain_id = o.chain_id LEFT JOIN auction_rounds ar ON ar.chain_id = o.chain_id`)

/** @throws Outage */
export async function readFactsAhead(
  db: Db,
  { chainId, sellToken, buyToken, uid, now }: AheadQuestion,
): Promise<FactsAhead> {
  const own = [chainId, bytea(sellToken), bytea(buyToken), uid && bytea(uid)]
  const ambient = { now: unixSeconds(now.getTime()), hidesCompetitions: true }
  const [text = '{}'] = await runStatement(db, statement, ambient, own, [])
  const json = JSON.parse(text) as SurroundingsJson
  return { ...toRow(aheadFields, json), ...toSurroundings(json) }
}
