import type { Address } from '../domain/address.ts'
import type { OrderEventLabel } from '../domain/event.ts'
import { type OrderCompetitionProgress, orderStage } from '../domain/order-stage.ts'
import { json, raw } from './columns.ts'
import { type Db, sql } from './database.ts'
import { listOf } from './story-rows.ts'

const { hex, amount } = json

const proposals = listOf(`SELECT json_build_object('solver', ${hex('s.solver')},
    'sell', ${amount('x.executed_sell')}, 'buy', ${amount('x.executed_buy')}) AS json
  FROM solutions s LEFT JOIN solution_executions x
    ON x.order_id = o.id AND x.auction_id = s.auction_id AND x.solution_uid = s.uid
  WHERE s.auction_id = competition.id ORDER BY s.uid DESC`)

interface ProgressRow {
  id: bigint
  label: OrderEventLabel | null
  has_traded: boolean
  /** null when there is no stored competition to speak of. */
  competition: bigint | null
  proposals: { solver: Address; sell: string | null; buy: string | null }[]
}

/**
 * How far orders have come, by row key; one statement whatever their number. The competition is that of the newest trade, or else the
 * newest that held the order.
 */
export async function progressOfOrders(
  db: Db,
  orderIds: readonly bigint[],
): Promise<Map<bigint, OrderCompetitionProgress>> {
  const rows = await sql(db).$queryRaw<ProgressRow[]>`
    SELECT o.id, ev.label, tr.known IS NOT NULL AS has_traded, competition.id AS competition, ${raw(proposals)} AS proposals
    FROM orders o
    LEFT JOIN LATERAL (SELECT label FROM order_events WHERE order_id = o.id ORDER BY timestamp DESC, id DESC LIMIT 1) ev ON true
    LEFT JOIN LATERAL (SELECT true AS known, auction_id FROM trades WHERE order_id = o.id
      ORDER BY block_number DESC, log_index DESC LIMIT 1) tr ON true
    LEFT JOIN LATERAL (SELECT CASE WHEN tr.known THEN tr.auction_id ELSE (
      SELECT auction_id FROM auction_orders WHERE order_id = o.id ORDER BY auction_id DESC LIMIT 1) END AS id) competition ON true
    WHERE o.id = ANY(${[...orderIds]}::bigint[])`
  return new Map(
    rows.flatMap((row) => {
      const progress = toProgress(row)
      return progress ? [[row.id, progress] as const] : []
    }),
  )
}

/** Stages that speak of a competition. */
const competed = new Set(['solved', 'executing', 'traded'])

function toProgress({
  label,
  has_traded,
  competition,
  proposals,
}: ProgressRow): OrderCompetitionProgress | undefined {
  const stage = orderStage(has_traded, label)
  if (!stage) return undefined
  if (!competed.has(stage) || competition === null) return { stage, proposals: null }
  return {
    stage,
    proposals: proposals.map(({ solver, sell, buy }) => ({
      solver,
      executedAmounts: sell === null || buy === null ? null : { sell: BigInt(sell), buy: BigInt(buy) },
    })),
  }
}
