import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { MirroredCompetition } from '../../../src/domain/auction/competition.ts'
import { auctionNumber } from '../../../src/domain/auction/key.ts'
import type { Order } from '../../../src/domain/order/order.ts'
import { executionsOfAuctions, solutionsOfAuctions } from '../../../src/storage/auction/auctions.ts'
import {
  dueCompetitions,
  insertMirroredCompetition,
  noteNewest,
  noteUnshown,
} from '../../../src/storage/auction/mirrored-competition.ts'
import { amountOf, hexOf } from '../../../src/storage/database/columns.ts'
import { type Database, sql } from '../../../src/storage/database/database.ts'
import { claimOrderBook } from '../../../src/storage/order/mirror.ts'
import { numbered } from '../../fakes/order.ts'
import { storeOrder } from '../../fakes/stored-order.ts'
import { useTables } from '../../setup/database.ts'

const chainId = 11_155_111
const tokens = [numbered('a1'), numbered('a2'), numbered('a3')]

let db: Database
useTables((tables) => {
  db = tables.database.db
})

interface Sample {
  number: number
  orders: number[]
  prices: (number | null)[]
}

const samples = fc
  .uniqueArray(
    fc.record({
      number: fc.integer({ min: 1, max: 12 }),
      orders: fc.uniqueArray(fc.integer({ min: 0, max: 3 })),
      prices: fc.array(fc.option(fc.integer({ min: 1, max: 3 })), { minLength: 3, maxLength: 3 }),
    }),
    { selector: ({ number }) => number, minLength: 1, maxLength: 8 },
  )
  .chain((competitions) =>
    fc.record({
      competitions: fc.constant(competitions),
      order: fc.shuffledSubarray(competitions, { minLength: competitions.length }),
    }),
  )

const competitionOf = (
  { number, orders, prices }: Sample,
  stored: readonly Order[],
): MirroredCompetition => ({
  chainId,
  number: BigInt(number),
  block: number,
  deadlineBlock: number + 3,
  solutions: [],
  orders: orders.flatMap((index) => stored[index]?.uid ?? []),
  nativePrices: new Map(
    prices.flatMap((price, index) => (price === null ? [] : [[tokens[index] ?? '0x', BigInt(price)]])),
  ),
})

const insert = (competition: MirroredCompetition) =>
  db.transaction((tx) => insertMirroredCompetition(tx, competition))

test('competitions that come in any order have their own orders and prices, and each once', async () => {
  const stored = await Promise.all(
    [0, 1, 2, 3].map((index) => storeOrder(db, { chainId, validTo: 2_000_000_000 + index })),
  )
  await fc.assert(
    fc.asyncProperty(samples, async ({ competitions, order }) => {
      for (const sample of order) expect(await insert(competitionOf(sample, stored))).toBe(true)
      if (order[0]) expect(await insert(competitionOf(order[0], stored))).toBe(false)
      const held = await sql(db).auctionOrder.findMany()
      const priced = await sql(db).auctionPrice.findMany()
      for (const { number, orders, prices } of competitions) {
        const isOf = ({ auctionId }: { auctionId: bigint }) => auctionNumber(auctionId) === BigInt(number)
        const ids = held.filter(isOf).map(({ orderId }) => orderId)
        expect(ids.toSorted()).toEqual(orders.map((index) => stored[index]?.id).toSorted())
        const shown = new Map(priced.filter(isOf).map((row) => [hexOf(row.token), amountOf(row.price)]))
        expect(shown).toEqual(competitionOf({ number, orders, prices }, stored).nativePrices)
      }
      expect(held).toHaveLength(competitions.reduce((sum, { orders }) => sum + orders.length, 0))
      // An order that the newest auction holds continues into later ones.
      const newest = competitions.toSorted((a, b) => b.number - a.number)[0]
      const open = await sql(db).auctionSpan.findMany({ where: { lastAuction: null } })
      expect(open.map(({ orderId }) => orderId).toSorted()).toEqual(
        newest?.orders.map((index) => stored[index]?.id).toSorted(),
      )
      await sql(db).auction.deleteMany()
      await sql(db).auctionSpan.deleteMany()
      await sql(db).priceChange.deleteMany()
    }),
    { numRuns: 10 },
  )
})

test('an order that is not stored is left out, and its executions stay in the solutions', async () => {
  const order = await storeOrder(db, { chainId })
  const unknown = `0x${'77'.repeat(56)}` as const
  const executions = [order.uid, unknown].map((orderUid, index) => ({
    orderUid,
    sellToken: numbered('a1'),
    buyToken: numbered('a2'),
    executedSell: BigInt(index + 1),
    executedBuy: 10n,
  }))
  const ranked = { uid: 0, ranking: 1, solver: numbered('51'), isWinner: true, filteredOut: false }
  const scored = { ...ranked, score: 2n ** 200n, referenceScore: 0n, txHash: null }
  const solution = { ...scored, executions, clearingPrices: new Map() }
  const competition = competitionOf({ number: 3, orders: [], prices: [] }, [])
  await insert({ ...competition, orders: [unknown, order.uid], solutions: [solution] })
  const auctionId = (BigInt(chainId) << 31n) + 3n
  expect(await sql(db).auctionOrder.findMany()).toEqual([{ orderId: order.id, auctionId }])
  const stored = await executionsOfAuctions(db, [auctionId])
  expect(stored.map(({ orderUid, executedSell }) => [orderUid, executedSell])).toEqual([
    [order.uid, 1n],
    [unknown, 2n],
  ])
  expect((await solutionsOfAuctions(db, [auctionId])).map(({ score }) => score)).toEqual([2n ** 200n])
})

test('competitions since the last newest one are requested newest first, three times, within the limit', async () => {
  await claimOrderBook(db, chainId, 'http://127.0.0.1:9', async () => ({ indexedFrom: 0, notifiedFrom: 0 }))
  expect(await noteNewest(db, { chainId, number: 10n }, 3)).toBe(0)
  expect(await dueCompetitions(db, chainId, 10)).toEqual([10n, 9n, 8n])
  expect(await noteNewest(db, { chainId, number: 10n }, 3)).toBe(0)
  expect(await noteNewest(db, { chainId, number: 20n }, 3)).toBe(7)
  expect(await dueCompetitions(db, chainId, 4)).toEqual([20n, 19n, 18n, 10n])
  await insert(competitionOf({ number: 19, orders: [], prices: [] }, []))
  await noteUnshown(db, { chainId, number: 20n })
  expect(await dueCompetitions(db, chainId, 4)).toEqual([18n, 10n, 9n, 8n])
  const last = { chainId, number: 18n, times: 2, askedAt: new Date(Date.now() - 60_000) }
  await sql(db).missingCompetition.update({ where: { chainId_number: { chainId, number: 18n } }, data: last })
  expect(await dueCompetitions(db, chainId, 4)).toEqual([10n, 9n, 8n, 18n])
  await noteUnshown(db, { chainId, number: 18n })
  await sql(db).missingCompetition.updateMany({ where: { number: 18n }, data: { askedAt: new Date(0) } })
  expect(await dueCompetitions(db, chainId, 4)).toEqual([10n, 9n, 8n])
})
