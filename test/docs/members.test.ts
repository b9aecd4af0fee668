import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { members, membersOf } from '../../codegen/members-page.ts'
import { mirrorNumbered } from '../../src/mirror/competitions.ts'
import { type MirrorServices, storeShownOrders } from '../../src/mirror/mirror.ts'
import { createOrderBook } from '../../src/mirror/order-book.ts'
import { claimOrderBook } from '../../src/storage/order/mirror.ts'
import { type FakeOrderBook, startOrderBook } from '../fakes/order-book.ts'
import { openOrder, soldCompetition, soldOrder } from '../fakes/public-book.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { openTestServer, network as sampleNetwork, type TestServer } from '../setup/server.ts'
import { request } from '../setup/trader.ts'

const namesOf = (rows: readonly (readonly [string, ...string[]])[]) =>
  rows.flatMap(([names]) => names.split(' '))

describe.each(Object.entries(members))('the table of %s', (_, described) => {
  test('has each member of GraphQL and REST once', () => {
    expect(namesOf(described.rows).sort()).toEqual(membersOf(described).sort())
  })

  test('has no open cell', () => {
    for (const cells of described.rows) for (const cell of cells) expect(cell).toMatch(/\w/)
  })
})

describe('what the tables have from the order book', () => {
  const network = {
    ...sampleNetwork,
    chainId: 1,
    name: 'mainnet',
    settlement: soldOrder.settlementContract,
    ethFlows: [soldOrder.owner],
  }
  const ignore = () => undefined
  let book: FakeOrderBook
  let server: TestServer

  beforeAll(async () => {
    book = await startOrderBook()
    server = await openTestServer({ network }, { now: Date.now })
    const { db } = server.database
    await claimOrderBook(db, 1, book.url, async () => ({ indexedFrom: 0, notifiedFrom: 0 }))
    const common = { db, now: Date.now, log: silentLog }
    const services: MirrorServices = {
      ...common,
      network,
      checkSignature: async () => 'valid',
      readPresignatures: async () => new Map(),
      readInvalidated: async () => new Set(),
      describeTokens: async () => new Map(),
      blockTimes: async () => new Map(),
      orderBook: createOrderBook({
        ...common,
        chainId: 1,
        name: 'book',
        title: 'the order book',
        url: book.url,
        callsPerMinute: Number.POSITIVE_INFINITY,
        quotesPerSecond: 10,
        submissionsPerSecond: 5,
      }),
      meter: {
        looked: ignore,
        stored: ignore,
        compared: ignore,
        refused: ignore,
        unverified: ignore,
        missing: ignore,
        competitions: ignore,
        unknownMembers: ignore,
      },
    }
    book.competitions.set(soldCompetition.auctionId, soldCompetition)
    await storeShownOrders([openOrder], undefined, services)
    await storeShownOrders([soldOrder], undefined, services)
    await mirrorNumbered(BigInt(soldCompetition.auctionId), services)
  })
  afterAll(async () => {
    book?.close()
    await server?.[Symbol.asyncDispose]()
  })

  /** The members of a real answer that the table has from the order book. */
  function reported(table: string, answer: object): string[] {
    const rows = members[table]?.rows ?? expect.fail()
    const names = new Set(namesOf(rows.filter(([, from]) => from === 'order book')))
    return Object.keys(answer).filter((name) => names.has(name))
  }

  /** The values of a real answer and of this service; times in milliseconds, and nested objects by members. */
  function expectEqual(table: string, shown: Record<string, unknown>, answer: Record<string, unknown>): void {
    const names = reported(table, answer)
    expect(names.length).toBeGreaterThan(0)
    const pick = (of: Record<string, unknown>) =>
      Object.fromEntries(
        names.map((name) => {
          const isTime = name === 'creationDate'
          return [
            name,
            isTime ? Math.ceil(Date.parse(String(of[name]).replace(/(\.\d{3})\d*Z$/, '$1Z'))) : of[name],
          ]
        }),
      )
    const near = ({ creationDate, ...rest }: Record<string, unknown>) => ({
      at: Number(creationDate ?? 0),
      rest,
    })
    const [ours, theirs] = [near(pick(shown)), near(pick(answer))]
    expect(ours.rest).toEqual(theirs.rest)
    // Times finer than a millisecond are rounded up.
    expect(ours.at - theirs.at).toBeGreaterThanOrEqual(0)
    expect(ours.at - theirs.at).toBeLessThanOrEqual(1)
  }

  test.each([
    ['sold for the native coin', soldOrder],
    ['open', openOrder],
  ])('is as a real order book answers: of an order that is %s', async (_, answer) => {
    const { body } = await request(`${server.url}/mainnet/api/v1/orders/${answer.uid}`)
    expectEqual('Order', body, answer)
    for (const part of ['quote', 'ethflowData', 'onchainOrderData'] as const) {
      const real = (answer as Record<string, unknown>)[part] as Record<string, unknown> | undefined
      if (real) expectEqual(`Order.${part}`, body[part], real)
    }
  })

  test('is as a real order book answers: of a competition', async () => {
    const { body } = await request(
      `${server.url}/mainnet/api/v2/solver_competition/${soldCompetition.auctionId}`,
    )
    // Of its two orders the order book returns one.
    const auction = { ...soldCompetition.auction, orders: [soldOrder.uid] }
    expectEqual('Competition', { ...body, solutions: [] }, { ...soldCompetition, auction, solutions: [] })
    expectEqual('Competition.solutions', body.solutions[0], soldCompetition.solutions[0])
  })
})
