import type { Address } from '../domain/address.ts'
import type { OrderKind } from '../domain/order.ts'
import type { Quote, QuoteKind } from '../domain/quote.ts'
import { bytea, json, numeric } from './columns.ts'
import { type Db, prepared, readPrepared, sql } from './database.ts'

/** Stores a quote and gives it its id, from a sequence: a later quote has a higher one. */
export async function insertQuote(db: Db, quote: Omit<Quote, 'id'>): Promise<bigint> {
  const { id } = await sql(db).quote.create({
    data: {
      chainId: quote.chainId,
      kind: quote.kind,
      quoteKind: quote.quoteKind,
      sellToken: bytea(quote.sellToken),
      buyToken: bytea(quote.buyToken),
      sellAmount: numeric(quote.sellAmount),
      buyAmount: numeric(quote.buyAmount),
      feeAmount: numeric(quote.feeAmount),
      gasAmount: numeric(quote.gasAmount),
      gasPrice: numeric(quote.gasPrice),
      sellTokenPrice: quote.sellTokenPrice,
      solver: bytea(quote.solver),
      verified: quote.verified,
      expiration: quote.expiration,
    },
    select: { id: true },
  })
  return id
}

const { hex, amount, time } = json

const quoteJson = `json_build_object(
  'id', id::text, 'chainId', chain_id, 'kind', kind, 'quoteKind', quote_kind,
  'sellToken', ${hex('sell_token')}, 'buyToken', ${hex('buy_token')},
  'sellAmount', ${amount('sell_amount')}, 'buyAmount', ${amount('buy_amount')}, 'feeAmount', ${amount('fee_amount')},
  'gasAmount', ${amount('gas_amount')}, 'gasPrice', ${amount('gas_price')}, 'sellTokenPrice', sell_token_price,
  'solver', ${hex('solver')}, 'verified', verified, 'expiration', ${time('expiration')})`

const byIdSql = prepared(`SELECT ${quoteJson} FROM quotes WHERE chain_id = $1::int4 AND id = ANY($2::int8[])`)

const byPairSql =
  prepared(`SELECT ${quoteJson} FROM quotes WHERE chain_id = $1::int4 AND sell_token = $2::bytea
  AND buy_token = $3::bytea AND kind = $4 AND quote_kind = $5 AND expiration >= $6::timestamptz ORDER BY id DESC LIMIT 100`)

/** In the order asked for; undefined where there is none on this network. */
export async function findQuotes(
  db: Db,
  chainId: number,
  ids: readonly bigint[],
): Promise<(Quote | undefined)[]> {
  const rows = await readPrepared<[QuoteJson]>(db, byIdSql, [chainId, ids])
  const quotes = new Map(rows.map(([row]) => [BigInt(row.id), toQuote(row)]))
  return ids.map((id) => quotes.get(id))
}

/** What an order trades, for finding the quote it was made from. `amount` is that of the fixed side. */
export interface QuoteSearch {
  chainId: number
  quoteKind: QuoteKind
  kind: OrderKind
  sellToken: Address
  buyToken: Address
  amount: bigint
  now: Date
}

/** The stored quotes that fit an order and still hold: verified ones first, then by rate. */
export async function findQuotesFor(db: Db, search: QuoteSearch): Promise<Quote[]> {
  const { chainId, sellToken, buyToken, kind, quoteKind, now } = search
  const pair = [bytea(sellToken), bytea(buyToken)]
  const rows = await readPrepared<[QuoteJson]>(db, byPairSql, [chainId, ...pair, kind, quoteKind, now])
  return rows
    .map(([row]) => toQuote(row))
    .filter((quote) =>
      search.kind === 'buy'
        ? quote.buyAmount === search.amount
        : quote.sellAmount === search.amount || quote.sellAmount + quote.feeAmount === search.amount,
    )
    .sort((a, b) => Number(b.verified) - Number(a.verified) || byRate(a, b))
}

export async function deleteExpiredQuotes(db: Db, now: Date): Promise<number> {
  const { count } = await sql(db).quote.deleteMany({ where: { expiration: { lt: now } } })
  return count
}

function byRate(a: Quote, b: Quote): number {
  const difference = b.buyAmount * (a.sellAmount + a.feeAmount) - a.buyAmount * (b.sellAmount + b.feeAmount)
  return difference > 0n ? 1 : difference < 0n ? -1 : 0
}

type Amounts = 'sellAmount' | 'buyAmount' | 'feeAmount' | 'gasAmount' | 'gasPrice'

type QuoteJson = Omit<Quote, 'id' | 'expiration' | Amounts> &
  Record<Amounts, string> & { id: string; expiration: number }

function toQuote(row: QuoteJson): Quote {
  return {
    ...row,
    id: BigInt(row.id),
    sellAmount: BigInt(row.sellAmount),
    buyAmount: BigInt(row.buyAmount),
    feeAmount: BigInt(row.feeAmount),
    gasAmount: BigInt(row.gasAmount),
    gasPrice: BigInt(row.gasPrice),
    expiration: new Date(row.expiration),
  }
}
