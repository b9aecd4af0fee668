import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { zeroAddress } from '../../../src/domain/evm/address.ts'
import { keccakText } from '../../../src/domain/evm/keccak.ts'
import type { Order } from '../../../src/domain/order/order.ts'
import { createTradingNetworks, type TradingServices } from '../../../src/graphql/context/networks.ts'
import { storeAppData } from '../../../src/storage/app-data.ts'
import { storeCancellations } from '../../../src/storage/order/orders.ts'
import { encodedId } from '../../fakes/node-id.ts'
import { coin, dollar, numbered, wrapped } from '../../fakes/order.ts'
import { storeTokens } from '../../fakes/stored-tokens.ts'
import { storeOrder } from '../../fakes/story.ts'
import { network, openTestServer, type TestServer } from '../../setup/server.ts'
import { graphql, request } from '../../setup/trader.ts'

const owner = numbered('0f')
const elsewhere = { ...network, chainId: 100, name: 'elsewhere' }
const document = '{"appCode":"Shop","metadata":{}}'
const late = '{"appCode":"Late","metadata":{}}'
const at = (second: number) => new Date(1_799_999_000_000 + second * 1_000)

let server: TestServer
const stored: Record<string, Order> = {}

beforeAll(async () => {
  const services = (of: typeof network) =>
    ({ network: of, tokens: async () => new Map() }) as unknown as TradingServices
  server = await openTestServer(
    {},
    { networks: createTradingNetworks([services(network), services(elsewhere)]) },
  )
  const { db } = server.database
  const orders: Record<string, Partial<Order>> = {
    first: { creationDate: at(0) },
    shop: { creationDate: at(1), appData: keccakText(document), fullAppData: document },
    buying: { creationDate: at(2), kind: 'buy', sellToken: coin },
    later: { creationDate: at(3), appData: keccakText(late), fullAppData: null },
    known: { creationDate: at(4), appData: keccakText(document), fullAppData: null },
    solvers: { creationDate: at(5), class: 'liquidity' },
    cancelled: { creationDate: at(6), receiver: zeroAddress },
    expired: { creationDate: at(7), validTo: 1_799_999_999, effectiveValidTo: 1_799_999_999 },
    abroad: { creationDate: at(8), chainId: elsewhere.chainId },
    others: {
      creationDate: at(9),
      owner: numbered('33'),
      receiver: numbered('44'),
      sellAmount: 3n,
      buyAmount: 2n,
    },
  }
  for (const [index, [name, order]] of Object.entries(orders).entries()) {
    stored[name] = await storeOrder(db, { owner, sellAmount: 10n ** 18n + BigInt(index), ...order })
  }
  await db.transaction((tx) => storeCancellations(tx, [stored.cancelled?.id ?? 0n], at(10)))
  expect(await storeAppData(db, keccakText(late), late)).toBe(true)
})
afterAll(() => server[Symbol.asyncDispose]())

const nameOf = (uid: string) => Object.entries(stored).find(([, order]) => order.uid === uid)?.[0]
const names = (nodes: { uid: string }[]) => nodes.map(({ uid }) => nameOf(uid))
const ask = (query: string, variables?: Record<string, unknown>) => graphql(server.url, query, variables)

/** A field that is not stored, so that resolvers answer the query. */
const executed = 'network { name }'

describe('a list of orders', () => {
  test.each([
    ['statuses: [CANCELLED, EXPIRED]', ['expired', 'cancelled']],
    ['kind: BUY', ['buying']],
    ['kind: SELL, statuses: [EXPIRED]', ['expired']],
    ['class: LIQUIDITY', ['solvers']],
    ['class: LIMIT, kind: BUY', ['buying']],
    [`pair: { sellToken: "${coin}", buyToken: "${dollar}" }`, ['buying']],
    [`pair: { sellToken: "${dollar}", buyToken: "${coin}" }`, []],
    ['appCode: "Shop"', ['known', 'shop']],
    ['appCode: "Late"', ['later']],
    ['appCode: "shop"', []],
    ['appCode: "Shop", statuses: [OPEN]', ['known', 'shop']],
    [`createdFrom: "${at(2).toISOString()}", createdUntil: "${at(4).toISOString()}"`, ['later', 'buying']],
  ])('is filtered by %s, for one account and for all', async (filter, expected) => {
    const data = await ask(`{ orders(filter: { ${filter} }) { nodes { uid } }
      account(address: "${owner}") { orders(filter: { ${filter} }) { nodes { uid } } } }`)
    expect([names(data.orders.nodes), names(data.account.orders.nodes)]).toEqual([expected, expected])
  })

  test.each([
    ['statuses: []', 'statuses'],
    [`appCode: "${'a'.repeat(101)}"`, 'appCode'],
    ['appCode: "\\u0000"', 'appCode'],
  ])('is refused with the filter %s', async (filter, field) => {
    const { body } = await request(`${server.url}/graphql`, 'POST', {
      query: `{ orders(filter: { ${filter} }) { nodes { uid } } }`,
    })
    expect(body.errors[0].extensions).toMatchObject({ code: 'InvalidParameter', field })
  })

  test('is refused when the query names statuses in two ways', async () => {
    const query = '{ orders(status: OPEN, filter: { statuses: [OPEN] }) { nodes { uid } } }'
    const { body } = await request(`${server.url}/graphql`, 'POST', { query })
    expect(body.errors[0].extensions).toMatchObject({ code: 'InvalidParameter', field: 'statuses' })
  })

  test('covers all networks or one, whether the database or resolvers answer', async () => {
    const whole = ['abroad', 'expired', 'cancelled', 'solvers', 'known', 'later', 'buying', 'shop', 'first']
    for (const [argument, expected] of [
      ['', whole],
      ['network: "sepolia",', whole.filter((name) => name !== 'abroad')],
      ['network: "elsewhere",', ['abroad']],
    ] as const) {
      for (const outside of ['', executed]) {
        const seen: (string | undefined)[] = []
        let after: string | null = null
        for (let more = true; more; ) {
          const { orders }: { orders: Connection } = await ask(
            `query ($after: String) { orders(owner: "${owner}", ${argument} first: 4, after: $after) {
              nodes { uid ${outside} } pageInfo { hasNextPage endCursor } } }`,
            { after },
          )
          // Only the statements of resolvers select the key of a row.
          expect(server.database.statements.at(-1)?.includes('"@":')).toBe(outside !== '')
          seen.push(...names(orders.nodes))
          after = orders.pageInfo.endCursor
          more = orders.pageInfo.hasNextPage
        }
        expect([argument, outside, seen]).toEqual([argument, outside, expected])
      }
    }
  })
})

interface Connection {
  nodes: { uid: string }[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
}

test('the computed amounts of an order are the same whether the database or resolvers answer', async () => {
  const fields =
    'effectiveReceiver executedFraction limitPrice { decimal numerator denominator } surplus { amount token { address } }'
  const query = (outside: string) => `query ($uid: OrderUid!) { order(uid: $uid) { ${fields} ${outside} } }`
  for (const [name, effectiveReceiver] of [
    ['first', owner],
    ['cancelled', owner],
    ['others', numbered('44')],
  ] as const) {
    const uid = stored[name]?.uid
    const written = await ask(query(''), { uid })
    expect(written.order).toMatchObject({
      effectiveReceiver,
      executedFraction: '0',
      surplus: { amount: '0', token: { address: dollar } },
    })
    const { network: _, ...order } = (await ask(query(executed), { uid })).order
    expect(order).toEqual(written.order)
  }
  const { order } = await ask(query(''), { uid: stored.others?.uid })
  const decimal = `0.${'6'.repeat(36)}`
  expect(order.limitPrice).toEqual({ decimal, numerator: '2', denominator: '3' })
})

describe('a fragment on an interface', () => {
  test('ignores nested fragments on other types', async () => {
    const { body } = await request(`${server.url}/graphql`, 'POST', {
      query: '{ order(uid: "UID") { ... on Node { id ... on Trade { owner } } } }'.replace(
        'UID',
        stored.shop?.uid ?? '',
      ),
    })
    expect(body.data.order).toEqual({ id: encodedId(`Order:${stored.shop?.uid}`) })
  })
})

test('a token has the same id on every path to it', async () => {
  await storeTokens(server.database.db, [
    { chainId: network.chainId, address: wrapped, symbol: 'W', name: null, decimals: 18 },
  ])
  const query = (outside: string) =>
    `query ($uid: OrderUid!) { order(uid: $uid) { sellToken { id } tokens { id } ${outside} } }`
  const [sell, buy] = [wrapped, dollar].map((token) => ({
    id: encodedId(`Token:${network.chainId}:${token}`),
  }))
  for (const outside of ['', executed]) {
    const { order } = await ask(query(outside), { uid: stored.first?.uid })
    expect(order).toMatchObject({ sellToken: sell, tokens: [sell, buy] })
  }
})

describe('a timestamp or a cursor', () => {
  const count = async (filter: string) => {
    const { orders } = await ask(
      `{ orders(owner: "${owner}", network: "sepolia", filter: { ${filter} }, first: 50) { nodes { uid } } }`,
    )
    return orders.nodes.length
  }

  test('keeps its digits below a millisecond', async () => {
    const seven = at(7).toISOString().replace('.000Z', '')
    expect(await count(`createdUntil: "${seven}.000000500Z"`)).toBe(
      (await count(`createdUntil: "${seven}Z"`)) + 1,
    )
    expect(await count(`createdFrom: "${seven}.0000005z"`)).toBe(
      (await count(`createdFrom: "${seven}Z"`)) - 1,
    )
  })

  test.each([
    '0000-01-01T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:00Z',
    '2026-01-01',
  ])('that is no valid time is refused: %s', async (time) => {
    const query = `{ orders(filter: { createdFrom: "${time}" }) { nodes { uid } } }`
    const { body } = await request(`${server.url}/graphql`, 'POST', { query })
    expect(body.errors[0].extensions.code).toBe('InvalidParameter')
  })

  test('of another list is refused', async () => {
    const { orders } = await ask(`{ orders(owner: "${owner}", first: 1) { pageInfo { endCursor } } }`)
    const query = `query ($after: String) { account(address: "${owner}") { trades(network: "sepolia", after: $after) { nodes { txHash } } } }`
    const cursors = [orders.pageInfo.endCursor, Buffer.from('1.2147483648').toString('base64url')]
    for (const after of cursors) {
      const { body } = await request(`${server.url}/graphql`, 'POST', { query, variables: { after } })
      expect(body.errors[0].extensions).toMatchObject({ code: 'InvalidParameter', field: 'after' })
    }
  })
})
