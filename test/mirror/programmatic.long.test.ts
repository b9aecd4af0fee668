import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { App } from '../../src/app/app.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import type { OrderUid } from '../../src/domain/order/order.ts'
import { composableCow } from '../../src/domain/programmatic/handlers.ts'
import { type ConditionalOrderParams, paramsId } from '../../src/domain/programmatic/params.ts'
import { orderUid } from '../../src/domain/signing/signing.ts'
import { bytea } from '../../src/storage/database/columns.ts'
import { sql } from '../../src/storage/database/database.ts'
import { calls, walletCall } from '../chain/conditional-stage.ts'
import { coin, conditionalOrders, postPart } from '../setup/conditional-orders.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { graphql, request } from '../setup/trader.ts'
import { startProgram, startWorld, unlimited, type World } from '../setup/world.ts'

/** An order book that a watch tower of a third party serves, and a service that follows it. */
let book: World
let database: TestDatabase
let follower: App
let wallets: Awaited<ReturnType<typeof conditionalOrders>>

/** Created before the first indexed block, and its first part is filled there. */
let early: { owner: Address; params: ConditionalOrderParams; first: string }

const environment = { ORDER_MIN_VALIDITY: '1' }
const upstream = () => `${book.url}/${book.market.network.name}/api/v1`
const head = async () => Number(await book.chain.rpc.call<string>('eth_blockNumber'))

async function create(params: ConditionalOrderParams): Promise<Address> {
  const owner = await wallets.deployWallet()
  await wallets.mint(owner, 300n * coin)
  await wallets.execute(owner, walletCall(composableCow, calls.createNow(params)))
  return owner
}

/**
 * Posts the present part to the order book, as a watch tower does.
 * @param last one that is over
 * @returns its UID
 */
const place = (owner: Address, params: ConditionalOrderParams, last?: string) =>
  eventually(
    'a part is placed',
    async () => {
      const part = await wallets.poll(owner, params)
      const uid = part && orderUid(book.market.network, part.order, owner)
      if (!part || uid === last) return undefined
      return (await postPart(upstream(), part, owner)).status === 201 && uid
    },
    60_000,
  )

const isFilled = (uid: string) =>
  eventually(
    'the part is filled',
    async () => (await request(`${upstream()}/orders/${uid}`)).body.status === 'fulfilled',
  )

beforeAll(async () => {
  ;[book, database] = await Promise.all([startWorld({ environment }), createTestDatabase()])
  wallets = await conditionalOrders(book)
  const params = wallets.twapOf({ n: 2n, t: 30n })
  const owner = await create(params)
  early = { owner, params, first: await place(owner, params) }
  await isFilled(early.first)
  const filledAt = await head()
  await eventually('its trade is final', async () => (await head()) > filledAt + 3)
  const network = { ...book.market.network, finalityBlocks: 2 }
  const orderBook = { url: `${book.url}/${network.name}`, callsPerMinute: 100_000 }
  follower = await startProgram(
    { database, chain: book.chain },
    { ...unlimited, ...environment },
    {
      roles: ['serve', 'index', 'auction', 'tower'],
      networks: [{ network, rpcUrl: book.chain.rpcUrl, orderBook }],
    },
  )
}, 120_000)
afterAll(async () => {
  await follower?.close()
  await database?.[Symbol.asyncDispose]()
  await book?.[Symbol.asyncDispose]()
})

const shown = `id status filledParts lastPoll { result } nextPollAt diagnosis { code text } nextPart { uid status }
  parts { nodes { uid status order { status } } } orders { nodes { uid programmaticOrder { hash } } }`

/** The programmatic order at the follower; undefined while that has not read it, or the order book. */
async function read(owner: Address, params: ConditionalOrderParams) {
  const query = `query ($owner: Address!, $hash: Bytes32!) { programmaticOrder(owner: $owner, hash: $hash) { ${shown} } }`
  const found = await graphql(follower.url ?? '', query, { owner, hash: paramsId(params) }).catch(
    () => undefined,
  )
  return found?.programmaticOrder ?? undefined
}

const reads = (
  what: string,
  { owner, params }: { owner: Address; params: ConditionalOrderParams },
  check: (order: Awaited<ReturnType<typeof read>>) => boolean,
) =>
  eventually(
    what,
    async () => {
      const found = await read(owner, params)
      return found?.parts && check(found) && found
    },
    60_000,
  )

describe('a followed network', () => {
  test.concurrent('has orders that are older than its first block, with the parts that were filled', async () => {
    const half = await reads('the old part is filled', early, ({ filledParts }) => filledParts === 1)
    expect(half.parts.nodes[0]).toEqual({
      uid: early.first,
      status: 'FILLED',
      order: { status: 'FULFILLED' },
    })
    const second = await place(early.owner, early.params, early.first)
    await isFilled(second)
    const whole = await reads('it is filled', early, ({ status }) => status === 'FILLED')
    const hash = paramsId(early.params)
    expect(whole).toMatchObject({
      filledParts: 2,
      lastPoll: null,
      nextPollAt: null,
      diagnosis: { code: 'FINISHED' },
      parts: { nodes: [{ uid: early.first }, { uid: second, status: 'FILLED' }] },
      orders: {
        nodes: [
          { uid: second, programmaticOrder: { hash } },
          { uid: early.first, programmaticOrder: { hash } },
        ],
      },
    })
    const list = `{ programmaticOrders(owner: "${early.owner}", status: [FILLED]) { nodes { hash } } }`
    expect((await graphql(follower.url ?? '', list)).programmaticOrders.nodes).toEqual([{ hash }])
    expect((await fetch(`${follower.url}/programmatic/${encodeURIComponent(whole.id)}`)).status).toBe(200)
  }, 150_000)

  test.concurrent('has the part of now once a client names the order, and is asked by indexers’ clients', async () => {
    const params = wallets.twapOf({ n: 2n, t: 1_000n, minPartLimit: 10n ** 30n })
    const owner = await create(params)
    const uid = await place(owner, params)
    const list = `{ conditionalOrderGenerators(where: { owner: "${owner}" }) { items { status discreteOrders { items { orderUid status } } } } }`
    const found = await eventually('the part is read', async () => {
      const { body } = await request(`${follower.url}/composable/graphql`, 'POST', { query: list })
      const [item] = body.data?.conditionalOrderGenerators.items ?? []
      return item?.discreteOrders.items.length > 0 && item
    })
    expect(found).toEqual({
      status: 'Active',
      discreteOrders: { items: [{ orderUid: uid, status: 'open' }] },
    })
    const order = await reads('its terms are read', { owner, params }, () => true)
    expect(order).toMatchObject({
      status: 'ACTIVE',
      nextPollAt: null,
      diagnosis: { code: 'PLACED' },
      nextPart: { uid, status: 'OPEN' },
    })
  }, 150_000)

  test.concurrent('places no part itself, says so, and sees a removal', async () => {
    const params = wallets.twapOf({ n: 2n, t: 1_000n })
    const owner = await create(params)
    const idle = await reads('its terms are read', { owner, params }, () => true)
    expect(idle).toMatchObject({
      status: 'ACTIVE',
      lastPoll: null,
      nextPollAt: null,
      diagnosis: {
        code: 'PLACED_ELSEWHERE',
        text: 'The network follows an order book, whose watch towers place its parts. No part that can be traded now is known there.',
      },
      nextPart: { status: 'NOT_POSTED' },
    })
    // The order book is not asked for a part whose window has not begun: it cannot be placed yet.
    const uids = idle.parts.nodes.map(({ uid }: { uid: string }) => bytea(uid as OrderUid))
    const missing = await sql(database.db).$queryRaw<{ uid: string }[]>`
      SELECT '0x' || encode(uid, 'hex') AS uid FROM missing_orders WHERE uid = ANY(${uids}::bytea[])`
    expect(idle.parts.nodes).toHaveLength(2)
    expect(missing).toEqual([{ uid: idle.nextPart.uid }])
    await wallets.execute(owner, walletCall(composableCow, calls.remove(params)))
    const removed = await reads('it is removed', { owner, params }, ({ status }) => status === 'CANCELLED')
    expect(removed.diagnosis.code).toBe('REMOVED')
    expect((await request(`${upstream()}/orders/${idle.nextPart.uid}`)).status).toBe(404)
  }, 150_000)
})
