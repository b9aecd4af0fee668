import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Order } from '../../src/domain/order.ts'
import type { Token } from '../../src/domain/token.ts'
import type { Services } from '../../src/graphql/context.ts'
import { createDoor } from '../../src/graphql/door/execute.ts'
import { createRestHandler } from '../../src/rest/adapter.ts'
import { accountRoutes, orderBookRoutes } from '../../src/rest/routes.ts'
import { debugReportFields } from '../../src/rest/shapes/debug-report.ts'
import { wholeOrderFields } from '../../src/rest/shapes/order.ts'
import { findTokens } from '../../src/storage/tokens.ts'
import { type Doors, network, openDoors } from '../doors.ts'
import { noCaller } from '../fakes/caller.ts'
import { randomStory, storeStory } from '../fakes/random-story.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { storeTokens } from '../fakes/stored-tokens.ts'
import { request } from '../trader.ts'

/** What the database writes and what the resolvers execute are two ways to the same values. */

let doors: Doors
let documentsOnly: Server
let ordinaryUrl: string

beforeAll(async () => {
  const tokens = (addresses: readonly Token['address'][]) =>
    findTokens(doors.database.db, network.chainId, addresses)
  doors = await openDoors({ tokens })
  const desk = { network, tokens } as never
  const services: Services = {
    db: doors.database.db,
    now: () => 1_800_000_000_000,
    log: silentLog,
    version: 'test-build',
    feed: undefined as never,
    affiliates: undefined as never,
    statistics: undefined as never,
    uploadAppData: undefined as never,
    desks: { all: [desk], byName: () => desk, byChainId: () => desk },
  }
  const withoutText = orderBookRoutes.map(({ text: _, ...row }) => row)
  const tables = { orderBook: withoutText, account: accountRoutes }
  const handle = createRestHandler(createDoor(services), services, tables, undefined as never)
  documentsOnly = createServer(async (req, res) => {
    const answer = await handle(req, noCaller, () => new AbortController().signal)
    if (!('pour' in answer)) res.writeHead(answer.status, answer.headers).end(answer.body)
  })
  await new Promise<void>((resolve) => documentsOnly.listen(0, '127.0.0.1', resolve))
  ordinaryUrl = `http://127.0.0.1:${(documentsOnly.address() as AddressInfo).port}`
})
afterAll(async () => {
  await new Promise((resolve) => documentsOnly?.close(resolve))
  await doors?.[Symbol.asyncDispose]()
})

const tokenFields = 'id address symbol name decimals __typename'
const priceFields = 'decimal numerator denominator __typename'
const hotOrder = `${wholeOrderFields.replace('sellToken { address } buyToken { address }', `sellToken { ${tokenFields} } buyToken { ${tokenFields} }`)}
  id tokens { ${tokenFields} } effectiveReceiver executedFraction limitPrice { ${priceFields} } executedPrice { ${priceFields} }
  surplus { amount token __typename } events { label reason timestamp } trades { ${'id blockNumber logIndex orderUid owner sellAmount sellAmountBeforeFees buyAmount txHash auctionId'} sellToken { address } }
  again: debugReport { ${debugReportFields} }`

async function execute(query: string, variables: Record<string, unknown>) {
  const before = doors.database.statements.length
  const { body } = await request(`${doors.url}/graphql`, 'POST', { query, variables })
  return { body, statements: doors.database.statements.slice(before) }
}

/** A directive that changes nothing keeps a document from being hot. */
const ordinary = (query: string) => query.replace(') {', ') @include(if: true) {')

async function storeTokensOf({ chainId, sellToken, buyToken }: Order): Promise<void> {
  await storeTokens(doors.database.db, [
    { chainId, address: sellToken, symbol: 'S "1"', name: null, decimals: 18 },
    { chainId, address: buyToken, symbol: null, name: 'B', decimals: null },
  ])
}

const runs = { numRuns: 60 }

describe('what the database writes', () => {
  test('is what the resolvers execute, for one order and for a page, whatever parts the story has', async () => {
    await fc.assert(
      fc.asyncProperty(randomStory, async (story) => {
        const order = await storeStory(doors.database.db, story)
        await storeTokensOf(order)
        const one = `query ($uid: OrderUid!) { it: order(uid: $uid) { ...Whole } } fragment Whole on Order { ${hotOrder} }`
        const hot = await execute(one, { uid: order.uid })
        expect(hot.statements).toHaveLength(1)
        const slow = await execute(
          one.replace('it: order(uid: $uid) {', 'it: order(uid: $uid) @include(if: true) {'),
          { uid: order.uid },
        )
        expect(hot.body).toEqual(slow.body)
        expect(hot.body.data.it.uid).toBe(order.uid)

        const page = `query ($owner: Address!) { orders(owner: $owner, first: 3) {
          edges { cursor node { ${hotOrder} } __typename } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } __typename } }`
        const hotPage = await execute(page, { owner: order.owner })
        expect(hotPage.statements).toHaveLength(1)
        const slowPage = await execute(
          ordinary(page.replace('first: 3) {', 'first: 3) {'))
            .replace(') @include(if: true) {', ') {')
            .replace('first: 3) {', 'first: 3) @include(if: true) {'),
          { owner: order.owner },
        )
        expect(hotPage.body).toEqual(slowPage.body)
      }),
      runs,
    )
  })

  test('is what the rows of REST answer from their documents', async () => {
    await fc.assert(
      fc.asyncProperty(randomStory, async (story) => {
        const order = await storeStory(doors.database.db, story)
        for (const path of [
          `/sepolia/api/v1/orders/${order.uid}`,
          `/sepolia/api/v1/debug/order/${order.uid}`,
          `/sepolia/api/v1/account/${order.owner}/orders`,
          `/sepolia/api/v2/trades?owner=${order.owner}`,
          `/sepolia/api/v2/trades?orderUid=${order.uid}`,
          `/sepolia/api/v1/trades?orderUid=${order.uid}`,
        ]) {
          const before = doors.database.statements.length
          const hot = await request(`${doors.url}${path}`)
          expect(doors.database.statements.slice(before)).toHaveLength(1)
          const slow = await request(`${ordinaryUrl}${path}`)
          expect([path, hot.status, hot.body]).toEqual([path, slow.status, slow.body])
        }
      }),
      runs,
    )
  })
})
