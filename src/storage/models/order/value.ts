import { priceScale } from '../../../domain/amount.ts'
import { nativeMarker } from '../../../domain/evm/address.ts'
import type { Network } from '../../../domain/network/network.ts'
import { valueDigits } from '../../../domain/order/surplus.ts'
import { bytea, raw } from '../../database/columns.ts'
import { Prisma } from '../../generated/client.ts'
import { isUnfinished } from '../../order/status.ts'
import { address, amount, decimal, time } from '../../query/codec.ts'
import { column, derived, type Model, type Relation } from '../../query/model.ts'
import { isFollowed, isNoneRemoved } from '../completeness.ts'
import { tokenIn } from '../token.ts'

/** SQL for traded amounts: sold without the signed fee, and bought. */
interface FillColumns {
  sell: string
  buy: string
}

/** `tradedSurplusDown` of the domain in SQL, over the limits of order `o`; a test holds the two equal. */
function surplusDownSql({ sell, buy }: FillColumns): string {
  return `greatest(0, CASE o.kind
    WHEN 'sell' THEN ${buy} - div((${sell}) * o.buy_amount + o.sell_amount - 1, o.sell_amount)
    ELSE div(o.sell_amount * ${buy}, o.buy_amount) - (${sell}) END)`
}

const tradeSurplus = surplusDownSql({ sell: 'tr.sell_amount - tr.fee_amount', buy: 'tr.buy_amount' })

/**
 * Surplus of all trades of account `ac` in native atoms, for orders that it owns and those that it placed on
 * chain: each trade at the prices of its auction, rounded down. Trades without an auction of the service have
 * no price, and count 0.
 */
export function surplusSql(network: SurplusNetwork): Prisma.Sql {
  const join = Prisma.raw('JOIN')
  return Prisma.sql`(SELECT coalesce(sum(div(${raw(tradeSurplus)} * p.price, ${raw(String(priceScale))})), 0) AS total
    FROM ${valuedTrades(network, join)}) ts`
}

/** SQL for whether each of these trades has such a price. */
export function isSurplusCompleteSql(network: SurplusNetwork): Prisma.Sql {
  return Prisma.sql`(SELECT NOT EXISTS (SELECT FROM ${valuedTrades(network, Prisma.raw('LEFT JOIN'))}
    WHERE p.price IS NULL) AS is_complete) ts`
}

type SurplusNetwork = Pick<Network, 'chainId' | 'wrappedNative'>

function valuedTrades({ chainId, wrappedNative }: SurplusNetwork, join: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(
      SELECT own.* FROM trades own WHERE own.owner = ac.address AND own.chain_id = ${chainId}
      UNION ALL SELECT placed.* FROM orders u JOIN trades placed ON placed.order_id = u.id
      WHERE u.onchain_user = ac.address AND u.chain_id = ${chainId} AND u.owner <> ac.address
    ) tr
    ${join} orders o ON o.id = tr.order_id
    ${join} executions x ON x.order_id = tr.order_id AND x.auction_id = tr.auction_id
    ${join} auction_prices p ON p.auction_id = x.auction_id AND p.token = CASE
      WHEN o.kind = 'buy' THEN o.sell_token
      WHEN o.buy_token = ${bytea(nativeMarker)} THEN ${bytea(wrappedNative)}
      ELSE o.buy_token END`
}

/** `domain/order/surplus.ts` in SQL, over order `o`; a test holds the two equal. */

export const sold = '(o.executed_sell - o.executed_signed_fee)'

/** Rounds down to `digits` decimals by integer division, so that there is no intermediate rounding. */
const fixedDown = (numerator: string, denominator: string, digits: number) =>
  `trim_scale(div(${numerator} * 1e${digits}, ${denominator}) * 1e-${digits})::text`

const filledPart = (filled: string, signed: string) =>
  `CASE WHEN ${signed} > 0 THEN ${fixedDown(`greatest(0, ${filled})`, signed, valueDigits.fraction)} ELSE '0' END`

export const executedFraction = derived(
  decimal,
  `CASE o.kind WHEN 'sell' THEN ${filledPart(sold, 'o.sell_amount')} ELSE ${filledPart('o.executed_buy', 'o.buy_amount')} END`,
  `Filled part of the fixed side, from 0 to 1: ${valueDigits.fraction} digits behind the point, rounded down. It is 1 only when the order is filled completely.`,
)

export const effectiveReceiver = derived(
  address,
  `CASE WHEN o.receiver = decode(repeat('00', 20), 'hex') THEN o.owner ELSE coalesce(o.receiver, o.owner) END`,
  'The account that gets the buy tokens: the receiver, or else the owner.',
)

/** The model of a price with these parts. */
function priceModel(numerator: string, denominator: string): Model {
  return {
    name: 'Price',
    description:
      'Atoms of the buy token for one atom of the sell token. If their decimals differ, it is not the price of a whole token.',
    fields: {
      decimal: derived(
        decimal,
        fixedDown(numerator, denominator, valueDigits.price),
        `${valueDigits.price} digits behind the point, rounded down.`,
      ),
      numerator: derived(amount, numerator, 'Buy atoms, exact.'),
      denominator: derived(amount, denominator, 'Sell atoms, exact.'),
    },
  }
}

export function price(numerator: string, denominator: string, description: string): Relation {
  const model = priceModel(numerator, denominator)
  return { kind: 'same', model: () => model, nullable: true, unless: `${denominator} <= 0`, description }
}

const marketPrice: Model = {
  name: 'MarketPrice',
  description: 'The market price at a time.',
  isFollowed: true,
  fields: { at: column(time, 'ms.at', 'The time of the price.') },
  relations: {
    price: price('ms.price', 'mb.price', 'The ratio of both native prices.'),
  },
}

const seriesOf = (token: string) =>
  `(SELECT se.id FROM price_series se WHERE se.chain_id = o.chain_id AND se.token = ${token})`

/** When order `o` ended or will end: with its last trade or its cancellation, at its expiry otherwise. */
const end = `CASE WHEN ${isUnfinished} THEN to_timestamp(o.effective_valid_to) ELSE coalesce((SELECT max(le.timestamp)
  FROM order_events le WHERE le.order_id = o.id AND le.label IN ('traded', 'cancelled')), to_timestamp(o.effective_valid_to)) END`

export const marketPrices: Relation = {
  kind: 'page',
  model: () => marketPrice,
  rows: `market_prices ms JOIN market_prices mb ON mb.at = ms.at AND mb.series_id = ${seriesOf('o.buy_token')}
    WHERE ms.series_id = ${seriesOf('o.sell_token')} AND ms.at >= o.created_at AND ms.at <= ${end}`,
  key: { letter: 'm', parts: [{ sql: 'ms.at', type: 'time' }], order: 'DESC' },
  isComplete: `NOT ${isFollowed('o.chain_id')} AND ${isNoneRemoved('market_prices', 'o.created_at')}`,
  mayBeEmpty: true,
  description:
    'Market prices from the placement of the order to its end, every five minutes while auctions priced its tokens; newest first.',
}

export const limitPrice = price(
  'o.buy_amount',
  'o.sell_amount',
  'The signed price: buyAmount for sellAmount. Null if sellAmount is 0.',
)

export const executedPrice = price(
  'o.executed_buy',
  sold,
  'The price of all trades together: executedBuyAmount for executedSellAmountBeforeFees. Null before the first.',
)

const surplusModel: Model = {
  name: 'Surplus',
  description: 'An amount of the token on the variable side.',
  fields: {
    amount: derived(
      amount,
      surplusDownSql({ sell: sold, buy: 'o.executed_buy' }),
      'Atoms of token, rounded down.',
    ),
  },
  relations: {
    token: tokenIn(
      'o.chain_id',
      `(CASE o.kind WHEN 'sell' THEN o.buy_token ELSE o.sell_token END)`,
      'The buy token of a sell order, the sell token of a buy order.',
    ),
  },
}

export const surplus: Relation = {
  kind: 'same',
  model: () => surplusModel,
  description: 'The surplus of all trades over the limit price.',
}
