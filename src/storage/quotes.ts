import { type Address, zeroAddress } from '../domain/address.ts'
import { emptyAppDataDocument, zeroAppData } from '../domain/app-data.ts'
import { keccakText } from '../domain/keccak.ts'
import type { OrderData } from '../domain/order.ts'
import type { Quote, QuoteReply } from '../domain/quote.ts'
import { bytea, json } from './columns.ts'
import { type Db, prepared, readPrepared, sql } from './database.ts'
import { type QuoteMetadata, toCalls, toMetadata } from './quote-metadata.ts'
import { type QuoteRest, type QuoteRestJson, readQuoteRest, writeQuoteRest } from './quote-rest.ts'

const insertSql =
  prepared(`INSERT INTO quotes (chain_id, kind, quote_kind, sell_token, buy_token, sell_amount, buy_amount,
    fee_amount, gas_amount, gas_price, sell_token_price, solver, verified, expiration, metadata, reply,
    from_account, receiver, app_data)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19) RETURNING id::text`)

/**
 * Stores a quote and gives it its id, from a sequence: a later quote has a higher one. Past Prisma, which takes several times as
 * long over it: somebody is waiting for every quote.
 * @param rest of the reply that is given; without it the quote cannot be read back by id, and no search finds it
 */
export async function insertQuote(db: Db, quote: Omit<Quote, 'id'>, rest?: QuoteRest): Promise<bigint> {
  const party = rest && {
    owner: rest.terms.from,
    receiver: rest.terms.receiver,
    appData: rest.terms.appDataHash,
  }
  return insert(db, quote, party, rest)
}

/** The same for a quote that nobody asked for, made because an order came without one: no reply is given. */
export async function insertOrderQuote(db: Db, quote: Omit<Quote, 'id'>, order: QuoteParty): Promise<bigint> {
  return insert(db, quote, order)
}

async function insert(
  db: Db,
  quote: Omit<Quote, 'id'>,
  party?: QuoteParty,
  rest?: QuoteRest,
): Promise<bigint> {
  const metadata = toMetadata(quote.calls)
  const [row] = await readPrepared<[string]>(db, insertSql, [
    quote.chainId,
    quote.kind,
    quote.quoteKind,
    bytea(quote.sellToken),
    bytea(quote.buyToken),
    quote.sellAmount.toString(),
    quote.buyAmount.toString(),
    quote.feeAmount.toString(),
    quote.gasAmount.toString(),
    quote.gasPrice.toString(),
    quote.sellTokenPrice,
    bytea(quote.solver),
    quote.verified,
    quote.expiration,
    metadata && JSON.stringify(metadata),
    rest ? JSON.stringify(writeQuoteRest(rest)) : null,
    ...(party ? partyColumns(party) : [null, null, null]),
  ])
  if (!row) throw new TypeError('an insert gives a row')
  return BigInt(row[0])
}

/** Whose order a quote is for. With the pair and the amount this is all that its simulation depends on, but for the market. */
export interface QuoteParty extends Pick<OrderData, 'receiver' | 'appData'> {
  owner: Address
}

const emptyAppData = keccakText(emptyAppDataDocument)

/** One spelling for what means the same. */
function partyColumns({ owner, receiver, appData }: QuoteParty): Uint8Array[] {
  const paid = receiver === null || receiver === zeroAddress ? owner : receiver
  return [bytea(owner), bytea(paid), bytea(appData === zeroAppData ? emptyAppData : appData)]
}

const { hex, amount, time } = json

const quoteJson = `json_build_object(
  'id', id::text, 'chainId', chain_id, 'kind', kind, 'quoteKind', quote_kind,
  'sellToken', ${hex('sell_token')}, 'buyToken', ${hex('buy_token')},
  'sellAmount', ${amount('sell_amount')}, 'buyAmount', ${amount('buy_amount')}, 'feeAmount', ${amount('fee_amount')},
  'gasAmount', ${amount('gas_amount')}, 'gasPrice', ${amount('gas_price')}, 'sellTokenPrice', sell_token_price,
  'solver', ${hex('solver')}, 'verified', verified, 'expiration', ${time('expiration')},
  'metadata', metadata)`

const byIdSql = prepared(`SELECT ${quoteJson} FROM quotes WHERE chain_id = $1::int4 AND id = ANY($2::int8[])`)

const replySql = prepared(
  `SELECT ${quoteJson}, reply FROM quotes WHERE chain_id = $1::int4 AND id = $2::int8 AND reply IS NOT NULL`,
)

/**
 * Two rates of 78 digits each that differ at all differ by more than 10^-157: so far behind the point whole numbers order them
 * exactly. Only the row that is chosen has its calls read.
 */
const searchSql = prepared(`SELECT ${quoteJson} FROM quotes WHERE id = (
  SELECT id FROM quotes WHERE chain_id = $1::int4 AND from_account = $2::bytea AND receiver = $3::bytea
    AND app_data = $4::bytea AND sell_token = $5::bytea AND buy_token = $6::bytea AND kind = $7
    AND quote_kind = $8 AND expiration >= $9::timestamptz
    AND CASE kind WHEN 'buy' THEN buy_amount = $10::numeric
      ELSE sell_amount = $10::numeric OR sell_amount + fee_amount = $10::numeric END
  ORDER BY verified DESC, div(buy_amount * 1e160, NULLIF(sell_amount + fee_amount, 0)) DESC, id DESC LIMIT 1)`)

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

/** A reply that was given on this network, as long as it is kept. */
export async function findReply(db: Db, chainId: number, id: bigint): Promise<QuoteReply | undefined> {
  const [row] = await readPrepared<[QuoteJson, QuoteRestJson]>(db, replySql, [chainId, id])
  return row && { quote: toQuote(row[0]), ...readQuoteRest(row[1]) }
}

const ofOrdersSql = prepared(
  `SELECT order_id::text, metadata FROM order_quotes WHERE order_id = ANY($1::int8[]) AND metadata IS NOT NULL`,
)

/** The calls of the quotes that orders were stored with, by the orders' row keys; none where nobody said. */
export async function callsOfOrders(db: Db, ids: readonly bigint[]): Promise<Map<bigint, QuoteMetadata>> {
  const rows = await readPrepared<[string, QuoteMetadata]>(db, ofOrdersSql, [ids])
  return new Map(rows.map(([id, metadata]) => [BigInt(id), metadata]))
}

/** What an order trades, for finding the quote it was made from. `amount` is that of the fixed side. */
export interface QuoteSearch
  extends QuoteParty,
    Pick<Quote, 'chainId' | 'kind' | 'quoteKind' | 'sellToken' | 'buyToken'> {
  amount: bigint
  now: Date
}

/**
 * The stored quote that fits an order and still holds: a verified one first, then the best rate, then the newest. Only one that was
 * made for the same trader, receiver and appData: hooks, and code of whoever is paid, run in the simulation and can make a quote
 * say anything, and whoever asks for one says himself whom it is for. What is made for this very order nobody else has bent.
 */
export async function findQuoteFor(db: Db, search: QuoteSearch): Promise<Quote | undefined> {
  const { chainId, sellToken, buyToken, kind, quoteKind, now } = search
  const pair = [bytea(sellToken), bytea(buyToken)]
  const amount = search.amount.toString()
  const given = [chainId, ...partyColumns(search), ...pair, kind, quoteKind, now, amount]
  const [row] = await readPrepared<[QuoteJson]>(db, searchSql, given)
  return row && toQuote(row[0])
}

/** Of what a backlog may hold, one call takes so many: the next block takes the next ones. */
const mostDeleted = 20_000

/** The oldest first. Processes of several networks share the table: each takes what no other is taking. */
export async function deleteExpiredQuotes(db: Db, now: Date): Promise<number> {
  return sql(db).$executeRaw`DELETE FROM quotes WHERE id IN (
    SELECT id FROM quotes WHERE expiration < ${now} ORDER BY expiration LIMIT ${mostDeleted} FOR UPDATE SKIP LOCKED)`
}

type Amounts = 'sellAmount' | 'buyAmount' | 'feeAmount' | 'gasAmount' | 'gasPrice'

type QuoteJson = Omit<Quote, 'id' | 'expiration' | 'calls' | Amounts> &
  Record<Amounts, string> & { id: string; expiration: number; metadata: QuoteMetadata | null }

function toQuote({ metadata, ...row }: QuoteJson): Quote {
  return {
    ...row,
    id: BigInt(row.id),
    sellAmount: BigInt(row.sellAmount),
    buyAmount: BigInt(row.buyAmount),
    feeAmount: BigInt(row.feeAmount),
    gasAmount: BigInt(row.gasAmount),
    gasPrice: BigInt(row.gasPrice),
    expiration: new Date(row.expiration),
    calls: toCalls(metadata),
  }
}
