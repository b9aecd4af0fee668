import type { Address } from '../domain/address.ts'
import type { OrderKind } from '../domain/order.ts'
import type { Quote, QuoteKind } from '../domain/quote.ts'
import { amountOf, bytea, hexOf, numeric } from './columns.ts'
import { type Db, sql } from './database.ts'
import type { Prisma } from './generated/client.ts'
import type { QuoteModel } from './generated/models/Quote.ts'

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

export async function findQuote(db: Db, chainId: number, id: bigint): Promise<Quote | undefined> {
  const row = await sql(db).quote.findUnique({ where: { id, chainId } })
  return row ? toQuote(row) : undefined
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
  const where: Prisma.QuoteWhereInput = {
    chainId: search.chainId,
    quoteKind: search.quoteKind,
    kind: search.kind,
    sellToken: bytea(search.sellToken),
    buyToken: bytea(search.buyToken),
    expiration: { gte: search.now },
  }
  const rows = await sql(db).quote.findMany({ where, orderBy: { id: 'desc' }, take: 100 })
  return rows
    .map(toQuote)
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

function toQuote(row: QuoteModel): Quote {
  return {
    chainId: row.chainId,
    id: row.id,
    kind: row.kind as OrderKind,
    quoteKind: row.quoteKind as QuoteKind,
    sellToken: hexOf(row.sellToken),
    buyToken: hexOf(row.buyToken),
    sellAmount: amountOf(row.sellAmount),
    buyAmount: amountOf(row.buyAmount),
    feeAmount: amountOf(row.feeAmount),
    gasAmount: amountOf(row.gasAmount),
    gasPrice: amountOf(row.gasPrice),
    sellTokenPrice: row.sellTokenPrice,
    expiration: row.expiration,
    solver: hexOf(row.solver),
    verified: row.verified,
  }
}
