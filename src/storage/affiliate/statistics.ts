import {
  type Affiliate,
  type AffiliateProgramme,
  dollarDecimals,
  dollars,
  type Eligibility,
} from '../../domain/affiliate/affiliate.ts'
import {
  dateTime,
  derived,
  described,
  flag,
  from,
  oneOf,
  safeInt,
  text,
  type ValueOf,
} from '../../domain/described.ts'
import { type Address, nativeMarker } from '../../domain/evm/address.ts'
import type { Trade } from '../../domain/order/order.ts'
import { bytea, nullableBytea, raw } from '../database/columns.ts'
import { type Db, sql } from '../database/database.ts'
import { Prisma } from '../generated/client.ts'
import { tradeRow } from '../models/trade.ts'
import { rowSql, toRow } from '../query/json.ts'
import { affiliateJson } from './affiliates.ts'

/** A network whose trades count, with its reference token for the dollar; null where it has none. */
export interface CountedNetwork {
  chainId: number
  wrappedNative: Address
  reference: { token: Address; decimals: number } | null
}

const dollar = `${10n ** BigInt(dollarDecimals)}::numeric`
/** Dollars as an integer, with `dollarDecimals` decimals. */
const dollarAtoms = (column: string) => `trunc(${column} * ${dollar})`
/** Sort columns of trades. */
const place = (alias: string) => `${alias}.time, ${alias}.chain_id, ${alias}.block_number, ${alias}.log_index`

/**
 * The rules of the affiliate programme. In SQL: they are computed over all trades of any number of traders.
 *
 * A trader is bound, permanently, to the code of the first trade whose code was registered before, was
 * enabled then, and is not the trader's own. Of an order placed on chain the trader is its user. The reward
 * period begins with that trade and lasts `time_cap_days`. A trade is eligible when it carries this code,
 * falls into the period, trades two tokens (a coin and its wrapped form are one), has a dollar value, and
 * comes before the trader's eligible volume reaches `volume_cap`; of the trade that crosses the cap only the
 * part below it counts. Every full `trigger_volume` of a trader's eligible volume earns one reward, which is
 * split (`domain/affiliate/affiliate.ts`).
 *
 * A trade's time is that of the auction it settles, else of its order. Its value is the sold amount × its
 * price ÷ the price of the reference token, both of that auction; a trade on a network that is not counted
 * has no value, and can bind all the same.
 *
 * `referred`: trades of `traders` that carry a code. `bindings`: the code that each trader is bound to.
 */
function historyOf(networks: readonly CountedNetwork[], traders: Prisma.Sql): Prisma.Sql {
  const references = networks.map(({ reference }) => reference)
  return Prisma.sql`traders AS MATERIALIZED (${traders}), networks AS (
    SELECT * FROM unnest(${networks.map(({ chainId }) => chainId)}::int[],
      ${references.map((reference) => nullableBytea(reference?.token))}::bytea[],
      ${references.map((reference) => reference && String(10n ** BigInt(reference.decimals)))}::numeric[],
      ${networks.map(({ wrappedNative }) => bytea(wrappedNative))}::bytea[]) AS n(chain_id, token, unit, wrapped)
  ), referred AS MATERIALIZED (
    SELECT tr.chain_id, tr.block_number, tr.log_index, o.trader AS owner, o.referrer_code AS code,
      coalesce(a.created_at, o.created_at) AS time, tr.buy_token = tr.sell_token
        OR (tr.sell_token = n.wrapped AND tr.buy_token = ${bytea(nativeMarker)}) AS is_one_token,
      div(tr.sell_amount * sold.price * ${raw(dollar)}, nullif(reference.price, 0) * n.unit) AS value
    FROM traders JOIN LATERAL (
        SELECT own.id, own.referrer_code, own.created_at, traders.owner AS trader FROM orders own
        WHERE own.owner = traders.owner AND own.onchain_user IS NULL AND own.referrer_code IS NOT NULL
        UNION ALL SELECT placed.id, placed.referrer_code, placed.created_at, traders.owner FROM orders placed
        WHERE placed.onchain_user = traders.owner AND placed.referrer_code IS NOT NULL) o ON true
      JOIN trades tr ON tr.order_id = o.id LEFT JOIN networks n ON n.chain_id = tr.chain_id
      LEFT JOIN auctions a ON a.id = tr.auction_id
      LEFT JOIN auction_prices sold ON sold.auction_id = tr.auction_id AND sold.token = tr.sell_token
      LEFT JOIN auction_prices reference ON reference.auction_id = tr.auction_id AND reference.token = n.token
  ), bindings AS MATERIALIZED (
    SELECT DISTINCT ON (r.owner) r.owner, r.code, r.time AS linked_since,
      r.time + f.time_cap_days * interval '24 hours' AS rewards_end, ${raw(dollarAtoms('f.volume_cap'))} AS volume_cap
    FROM referred r JOIN affiliates f ON f.code = r.code
    WHERE f.created_at <= r.time AND f.wallet <> r.owner AND coalesce((SELECT NOT s.enabled FROM affiliate_switches s
      WHERE s.code = f.code AND s.at > r.time ORDER BY s.at LIMIT 1), f.enabled)
    ORDER BY r.owner, ${raw(place('r'))}
  )`
}

/** The eligible volume of each bound trader. */
const volumes = raw(`volumes AS (
    SELECT b.owner, b.code, b.linked_since, b.rewards_end, b.volume_cap,
      CASE WHEN b.volume_cap = 0 THEN v.volume ELSE least(v.volume, b.volume_cap) END AS eligible
    FROM bindings b JOIN (
      SELECT b.owner, coalesce(sum(r.value) FILTER (WHERE r.is_one_token IS NOT TRUE), 0) AS volume FROM bindings b
      JOIN referred r ON r.owner = b.owner AND r.code = b.code AND r.time >= b.linked_since AND r.time < b.rewards_end
      GROUP BY b.owner
    ) v USING (owner)
  )`)

/** A row as JSON: a bigint is text. */
type RowJson<Row> = {
  [Name in keyof Row]: bigint extends Row[Name] ? string | Exclude<Row[Name], bigint> : Row[Name]
}

/** The owner of a code, and its terms. */
type AffiliateTerms = Pick<Affiliate, 'wallet' | 'code'> & AffiliateProgramme

interface AffiliateTotals {
  affiliate: AffiliateTerms
  /** Eligible volume of all its traders. */
  totalVolume: bigint
  /** Sum of the rewards that each trader earned. */
  rewards: bigint
  /** The largest volume toward the next reward among traders who can still earn it; 0 if there are none. */
  nearest: bigint
  activeTraders: number
  totalTraders: number
}

/** @returns undefined for a wallet without a code */
export async function affiliateTotals(
  db: Db,
  wallet: Address,
  networks: readonly CountedNetwork[],
  now: Date,
): Promise<AffiliateTotals | undefined> {
  const traders = Prisma.sql`SELECT DISTINCT coalesce(o.onchain_user, o.owner) AS owner FROM orders o
    WHERE o.referrer_code = (SELECT f.code FROM affiliates f WHERE f.wallet = ${bytea(wallet)})`
  const [row] = await sql(db).$queryRaw<RowJson<AffiliateTotals>[]>`
    WITH ${historyOf(networks, traders)}, ${volumes}
    SELECT (${raw(affiliateJson)})::json AS affiliate, t.* FROM affiliates af, LATERAL (
      SELECT coalesce(sum(v.eligible), 0)::text AS "totalVolume", coalesce(sum(v.rewards), 0)::text AS rewards,
        coalesce(max(v.eligible - v.rewards * v.trigger)
          FILTER (WHERE v.active AND (v.volume_cap = 0 OR (v.rewards + 1) * v.trigger <= v.volume_cap)), 0)::text AS nearest,
        (count(*) FILTER (WHERE v.active))::int AS "activeTraders", count(*)::int AS "totalTraders"
      FROM (SELECT eligible, volumes.volume_cap, trigger, div(eligible, trigger) AS rewards,
        rewards_end > ${now}::timestamptz AND (volumes.volume_cap = 0 OR eligible < volumes.volume_cap) AS active
        FROM volumes, (SELECT ${raw(dollarAtoms('af.trigger_volume'))} AS trigger) f WHERE volumes.code = af.code) v
    ) t WHERE wallet = ${bytea(wallet)}`
  if (!row) return undefined
  const { totalVolume, rewards, nearest } = row
  return { ...row, totalVolume: BigInt(totalVolume), rewards: BigInt(rewards), nearest: BigInt(nearest) }
}

interface TraderTotals {
  affiliate: AffiliateTerms
  linkedSince: Date
  rewardsEnd: Date
  eligibleVolume: bigint
}

/** @returns undefined for an account that is bound to no code */
export async function traderTotals(
  db: Db,
  trader: Address,
  networks: readonly CountedNetwork[],
): Promise<TraderTotals | undefined> {
  const [row] = await sql(db).$queryRaw<RowJson<TraderTotals>[]>`
    WITH ${historyOf(networks, Prisma.sql`SELECT ${bytea(trader)}::bytea AS owner`)}, ${volumes}
    SELECT linked_since AS "linkedSince", rewards_end AS "rewardsEnd", eligible::text AS "eligibleVolume",
      (SELECT (${raw(affiliateJson)})::json FROM affiliates af WHERE code = volumes.code) AS affiliate FROM volumes`
  return row && { ...row, eligibleVolume: BigInt(row.eligibleVolume) }
}

export const referredTrade = described(
  'ReferredTrade',
  'A trade whose order names a code in its appData, and what it counts for that. Dollars are US dollars.',
  {
    time: dateTime(
      'The time of the auction that it settles, or of its order if it settles no auction of this service.',
    ),
    code: text('The code that its order names, in capitals.'),
    boundCode: text.orNull('The code that the trader is bound to; null without one.'),
    usdValue: from(
      'value',
      dollars.orNull(
        'The value of the sold amount at the prices of its auction, rounded down; null without prices.',
      ),
    ),
    eligibleVolume: dollars('The part of usdValue that counts.'),
    eligibility: oneOf<Eligibility>('Eligibility')('The reason why it does not count, or ELIGIBLE.'),
    chainId: derived(safeInt('The chain it is on.'), ({ trade }: { trade: Trade }) => trade.chainId),
    isBoundToCode: derived(
      flag('True if it names the code that the trader is bound to.'),
      ({ code, boundCode }: { code: string; boundCode: string | null }) => code === boundCode,
    ),
    isEligible: derived(
      flag('True if it counts.'),
      ({ eligibility }: { eligibility: Eligibility }) => eligibility === 'eligible',
    ),
  },
)

export interface ReferredTradeRow extends ValueOf<typeof referredTrade> {
  trade: Trade
  /** Its sort position: time in microseconds, chain, block and log index, separated by points. */
  place: string
}

/** Newest first, on the networks that are counted. `after`: only trades before this `place`. */
export async function traderActivity(
  db: Db,
  trader: Address,
  networks: readonly CountedNetwork[],
  { first, after }: { first: number; after: string | null },
): Promise<ReferredTradeRow[]> {
  const rows = await sql(db).$queryRaw<(RowJson<Omit<ReferredTradeRow, 'trade'>> & { trade: string })[]>`
    WITH ${historyOf(networks, Prisma.sql`SELECT ${bytea(trader)}::bytea AS owner`)}, judged AS (
      SELECT r.*, b.code AS bound_code, b.volume_cap, CASE
        WHEN b.code IS NULL THEN 'not_bound' WHEN r.time < b.linked_since THEN 'before_binding'
        WHEN r.code <> b.code THEN 'other_code' WHEN r.time >= b.rewards_end THEN 'time_cap_reached'
        WHEN r.is_one_token THEN 'same_token' WHEN r.value IS NULL THEN 'no_dollar_value' END AS flaw
      FROM referred r LEFT JOIN bindings b USING (owner)
    ), counted AS (
      SELECT j.*, ARRAY[(extract(epoch FROM time) * 1000000)::int8, chain_id, block_number, log_index] AS place,
        coalesce(sum(value) FILTER (WHERE flaw IS NULL) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
      FROM judged j WINDOW w AS (ORDER BY ${raw(place('j'))})
    )
    SELECT ${raw(rowSql(tradeRow))} AS trade, array_to_string(place, '.') AS place, time, code, bound_code AS "boundCode", value::text,
      coalesce(flaw, CASE WHEN volume_cap > 0 AND before >= volume_cap THEN 'volume_cap_reached' ELSE 'eligible' END) AS eligibility,
      (CASE WHEN flaw IS NOT NULL THEN 0 WHEN volume_cap = 0 THEN value
        ELSE greatest(0, least(value, volume_cap - before)) END)::text AS "eligibleVolume"
    FROM counted JOIN networks USING (chain_id) JOIN trades tr USING (chain_id, block_number, log_index)
    WHERE ${after}::text IS NULL OR place < string_to_array(${after}, '.')::int8[] ORDER BY counted.place DESC LIMIT ${first}`
  return rows.map((row) => ({
    ...row,
    trade: toRow(tradeRow, JSON.parse(row.trade)),
    value: row.value === null ? null : BigInt(row.value),
    eligibleVolume: BigInt(row.eligibleVolume),
  }))
}
