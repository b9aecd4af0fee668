import type { Address } from '../domain/address.ts'
import type { AuctionStory, OrderStory } from '../domain/competition.ts'
import { raw } from './columns.ts'
import { type Db, sql } from './database.ts'
import {
  type AttemptJson,
  attemptJson,
  type EventJson,
  type ExecutionJson,
  eventJson,
  executionJson,
  listOf,
  type PolicyJson,
  policyJson,
  type SolutionJson,
  solutionJson,
  type TradeJson,
  toAttempt,
  toEvent,
  toExecution,
  toPolicy,
  toSolution,
  toTrade,
  tradeJson,
} from './story-rows.ts'

/** A report shows this many trades, the newest. */
const maxTrades = 100

const auctionStoryJson = `json_build_object('id', a.id::text, 'chainId', a.chain_id, 'block', a.block,
  'deadlineBlock', a.deadline_block,
  'nativePrices', ${listOf(`SELECT json_build_object('token', '0x' || encode(np.token, 'hex'), 'price', np.price::text) AS json
    FROM auction_prices np WHERE np.auction_id = a.id AND np.token IN (o.sell_token, o.buy_token)
    ORDER BY np.token = o.buy_token`)},
  'proposedSolutions', ${listOf(`SELECT json_build_object('solution', ${solutionJson},
      'executedSell', px.executed_sell::text, 'executedBuy', px.executed_buy::text) AS json
    FROM solution_executions px JOIN solutions s ON s.auction_id = px.auction_id AND s.uid = px.solution_uid
    WHERE px.order_id = o.id AND px.auction_id = a.id ORDER BY s.uid`)},
  'executions', ${listOf(`SELECT ${executionJson} AS json FROM executions x WHERE x.order_id = o.id AND x.auction_id = a.id`)},
  'settlementAttempts', ${listOf(`SELECT ${attemptJson} AS json FROM settlement_attempts t WHERE t.auction_id = a.id
    ORDER BY t.started_at, t.solution_uid`)},
  'feePolicies', ${listOf(`SELECT ${policyJson} AS json FROM fee_policies p WHERE p.order_id = o.id AND p.auction_id = a.id
    ORDER BY p.position`)})`

const storyJson = `json_build_object(
  'events', ${listOf(`SELECT ${eventJson} AS json FROM order_events ev WHERE ev.order_id = o.id ORDER BY ev.timestamp, ev.id`)},
  'auctions', ${listOf(`SELECT ${auctionStoryJson} AS json FROM auction_orders ao JOIN auctions a ON a.id = ao.auction_id
    WHERE ao.order_id = o.id ORDER BY a.id`)},
  'trades', ${listOf(`SELECT ${tradeJson} AS json FROM trades tr WHERE tr.order_id = o.id
    ORDER BY tr.block_number DESC, tr.log_index DESC LIMIT ${maxTrades}`)})`

interface StoryJson {
  events: EventJson[]
  auctions: AuctionStoryJson[]
  trades: TradeJson[]
}

interface AuctionStoryJson {
  id: string
  chainId: number
  block: number
  deadlineBlock: number
  nativePrices: { token: Address; price: string }[]
  proposedSolutions: { solution: SolutionJson; executedSell: string; executedBuy: string }[]
  executions: ExecutionJson[]
  settlementAttempts: AttemptJson[]
  feePolicies: PolicyJson[]
}

/** Everything that happened to these orders, from one statement whatever their number and the depth. Keyed by row id. */
export async function storiesOfOrders(db: Db, orderIds: readonly bigint[]): Promise<Map<bigint, OrderStory>> {
  const rows = await sql(db).$queryRaw<{ id: bigint; json: StoryJson }[]>`
    SELECT o.id, ${raw(storyJson)} AS json FROM orders o WHERE o.id = ANY(${[...orderIds]}::bigint[])`
  return new Map(rows.map(({ id, json }) => [id, toStory(json)]))
}

function toStory(row: StoryJson): OrderStory {
  return {
    events: row.events.map(toEvent),
    auctions: row.auctions.map(toAuctionStory),
    trades: row.trades.map(toTrade),
  }
}

function toAuctionStory(row: AuctionStoryJson): AuctionStory {
  return {
    ...row,
    id: BigInt(row.id),
    nativePrices: row.nativePrices.map(({ token, price }) => ({ token, price: BigInt(price) })),
    proposedSolutions: row.proposedSolutions.map(({ solution, executedSell, executedBuy }) => ({
      ...toSolution(solution),
      executedSell: BigInt(executedSell),
      executedBuy: BigInt(executedBuy),
    })),
    executions: row.executions.map(toExecution),
    settlementAttempts: row.settlementAttempts.map(toAttempt),
    feePolicies: row.feePolicies.map(toPolicy),
  }
}
