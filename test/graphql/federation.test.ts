import { getStitchedSchemaFromSupergraphSdl } from '@graphql-tools/federation'
import { composeServices } from '@theguild/federation-composition'
import { execute, parse, print } from 'graphql'
import { createSchema, createYoga } from 'graphql-yoga'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Order } from '../../src/domain/order/order.ts'
import { encodedId } from '../fakes/node-id.ts'
import { numbered, wrapped } from '../fakes/order.ts'
import { storeOrder, storeSettledOrder } from '../fakes/story.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { graphql, request } from '../setup/trader.ts'

const owner = numbered('0f')
let server: TestServer
let settled: Order
const orders: Order[] = []

beforeAll(async () => {
  server = await openTestServer()
  const { db } = server.database
  settled = await storeSettledOrder(db, 9n, owner)
  for (let index = 0; index < 4; index++) orders.push(await storeOrder(db, { owner, validTo: 100 + index }))
})
afterAll(() => server[Symbol.asyncDispose]())

const question = `query ($representations: [_Any!]!) { _entities(representations: $representations) {
  __typename ... on Order { uid } ... on Account { address } ... on Auction { auctionId } ... on Token { chainId at: address } } }`
const send = (representations: unknown, query = question) =>
  request(`${server.url}/graphql`, 'POST', { query, variables: { representations } })
const orderAt = (index: number) => ({ __typename: 'Order', uid: orders[index]?.uid })

test('entities come in the order of their representations, each as often as named, unknown ones as null', async () => {
  const auction = { __typename: 'Auction', id: encodedId('Auction:9') }
  const token = { __typename: 'Token', chainId: 11155111, address: wrapped.toUpperCase().replace('0X', '0x') }
  const before = server.database.statements.length
  const { body } = await send([
    orderAt(2),
    { __typename: 'Account', address: owner, note: 'other members do no harm' },
    auction,
    orderAt(0),
    token,
    { __typename: 'Order', uid: `0x${'12'.repeat(56)}` },
    orderAt(2),
    { ...token, chainId: 5 },
    { __typename: 'Auction', id: encodedId('Auction:8') },
    { __typename: 'Order', id: encodedId(`Order:${settled.uid}`) },
  ])
  expect(body.errors).toBeUndefined()
  const asked = (order?: Order) => ({ __typename: 'Order', uid: order?.uid })
  expect(body.data._entities).toEqual([
    asked(orders[2]),
    { __typename: 'Account', address: owner },
    { __typename: 'Auction', auctionId: 9 },
    asked(orders[0]),
    { __typename: 'Token', chainId: 11155111, at: wrapped },
    null,
    asked(orders[2]),
    null,
    null,
    asked(settled),
  ])
  // One statement for each of the four types.
  expect(server.database.statements.length - before).toBe(4)
})

test('fields that are not stored are resolved, by one statement too', async () => {
  const query = `query ($representations: [_Any!]!) { _entities(representations: $representations) {
    ... on Order { uid network { name } } ... on Account { address } } }`
  const before = server.database.statements.length
  const { body } = await send([orderAt(1), { __typename: 'Account', address: owner }, orderAt(3)], query)
  const network = { name: 'sepolia' }
  expect(body.data._entities).toEqual([
    { uid: orders[1]?.uid, network },
    { address: owner },
    { uid: orders[3]?.uid, network },
  ])
  expect(server.database.statements.length - before).toBe(2)
})

test('a representation may stand in the document', async () => {
  const { _entities } = await graphql(
    server.url,
    `{ _entities(representations: [{ __typename: "Account", address: "${owner}" }]) { ... on Account { address } } }`,
  )
  expect(_entities).toEqual([{ address: owner }])
})

const good = () => ({ __typename: 'Account', address: owner })

test.each<[string, unknown]>([
  ['representations[1]', 'Order'],
  ['representations[1]', 7],
  ['representations[1]', [[]]],
  ['representations[1].__typename', {}],
  ['representations[1].__typename', { __typename: 7 }],
  ['representations[1].__typename', { __typename: 'Quote', id: 'x' }],
  ['representations[1].__typename', { __typename: 'constructor', id: 'x' }],
  ['representations[1].__typename', { __typename: '__proto__', id: 'x' }],
  ['representations[1].__typename', { __typename: ['Order'], uid: '0x' }],
  ['representations[1].uid', { __typename: 'Order' }],
  ['representations[1].uid', { __typename: 'Order', uid: null }],
  ['representations[1].uid', { __typename: 'Order', uid: '0x12' }],
  ['representations[1].uid', { __typename: 'Order', uid: { toString: 'x' } }],
  ['representations[1].id', { __typename: 'Order', id: encodedId('Auction:9') }],
  ['representations[1].id', { __typename: 'Order', id: 9 }],
  ['representations[1].id', { __typename: 'Auction', auctionId: 9 }],
  ['representations[1].id', { __typename: 'Auction', id: encodedId('Auction:99999999999999999999') }],
  ['representations[1].address', { __typename: 'Token', chainId: 11155111, address: '0x' }],
  ['representations[1].chainId', { __typename: 'Token', chainId: '11155111', address: wrapped }],
  ['representations[1].chainId', { __typename: 'Token', chainId: 1e300, address: wrapped }],
])('a malformed representation is refused at %s: %j', async (field, representation) => {
  const { status, body } = await send([good(), representation])
  expect(body.errors[0].extensions).toMatchObject({ code: 'InvalidParameter', field })
  expect(status).toBeLessThan(500)
  expect(server.faults).toEqual([])
})

test('128 representations are answered, 129 and too deep ones are refused', async () => {
  expect((await send(Array(128).fill(good()))).body.data._entities).toHaveLength(128)
  const { body } = await send(Array(129).fill(good()))
  expect(body.errors[0].extensions).toMatchObject({ code: 'InvalidParameter', field: 'representations' })
  let deep: unknown = 'x'
  for (let depth = 0; depth < 40; depth++) deep = { deep }
  const answer = await send([{ ...good(), deep }])
  expect(answer.body.errors[0].extensions.code).toBe('QueryTooComplex')
})

test('the cost grows with the entities, and holds what is below them', async () => {
  const query = `query ($representations: [_Any!]!) { _entities(representations: $representations) {
    ... on Account { orders(first: 100) { nodes { uid } } } } }`
  const costOf = async (count: number) =>
    (await send(Array(count).fill(good()), query)).body.extensions.cost.requested
  const one = await costOf(1)
  expect(one).toBeGreaterThan(100)
  expect(await costOf(7)).toBe(7 * one)
  const { body } = await send(Array(128).fill(good()), query)
  expect(body.errors[0].extensions.code).toBe('QueryTooComplex')
})

test('eight entities are charged as one read, and each as one where a field needs an outside source', async () => {
  await using limited = await openTestServer({}, { rateLimits: { reads: 500, quotes: 10, orders: 10 } })
  const token = { __typename: 'Token', chainId: 11155111, address: wrapped }
  const costOf = async (representation: object, count: number, fields: string) => {
    const query = `query ($representations: [_Any!]!) {
      _entities(representations: $representations) { __typename ${fields} } }`
    const variables = { representations: Array(count).fill(representation) }
    const { body } = await request(`${limited.url}/graphql`, 'POST', { query, variables })
    return body.extensions.cost
  }
  const stored = '... on Account { address }'
  expect(await costOf(good(), 1, stored)).toMatchObject({ actual: 1, left: 999 })
  expect(await costOf(good(), 9, stored)).toMatchObject({ actual: 2, left: 997 })
  expect(await costOf(good(), 128, stored)).toMatchObject({ actual: 16, left: 981 })
  expect(await costOf(token, 128, '... on Token { usdPrice { __typename } }')).toMatchObject({
    actual: 128,
    left: 853,
  })
})

describe('in a supergraph', () => {
  const notes = createYoga({
    logging: false,
    schema: createSchema({
      typeDefs: `
        extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
        type Order @key(fields: "uid") { uid: OrderUid! notes: [String!]! }
        type Account @key(fields: "address") { address: Address! label: String }
        scalar OrderUid
        scalar Address
        scalar _Any
        directive @key(fields: String!) on OBJECT
        directive @link(url: String!, import: [String!]) on SCHEMA
        union _Entity = Order | Account
        type Query { noted: [Order!]! _entities(representations: [_Any!]!): [_Entity]! }
      `,
      resolvers: {
        Query: {
          noted: () => [{ uid: orders[1]?.uid }, { uid: orders[0]?.uid }],
          _entities: (_root: unknown, { representations }: { representations: object[] }) => representations,
        },
        _Entity: { __resolveType: ({ __typename }: { __typename: string }) => __typename },
        Order: { notes: ({ uid }: { uid: string }) => [`a note on ${uid.slice(0, 6)}`] },
        Account: { label: ({ address }: { address: string }) => `the account ${address.slice(-2)}` },
      },
    }),
  })
  const notesSdl = `
    extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
    type Order @key(fields: "uid") { uid: OrderUid! notes: [String!]! }
    type Account @key(fields: "address") { address: Address! label: String }
    scalar OrderUid
    scalar Address
    type Query { noted: [Order!]! }
  `

  test('a question crosses both subgraphs, in both directions', async () => {
    const { _service } = await graphql(server.url, '{ _service { sdl } }')
    const composed = composeServices([
      { name: 'tradegraph', url: `${server.url}/graphql`, typeDefs: parse(_service.sdl) },
      { name: 'notes', url: 'http://notes.example/graphql', typeDefs: parse(notesSdl) },
    ])
    expect(composed.errors ?? []).toEqual([])
    const schema = getStitchedSchemaFromSupergraphSdl({
      supergraphSdl: composed.supergraphSdl ?? '',
      onSubschemaConfig: (config) => {
        const isNotes = config.name.toLowerCase() === 'notes'
        config.executor = async ({ document, variables }) => {
          const body = JSON.stringify({ query: print(document), variables })
          const init = { method: 'POST', body, headers: { 'content-type': 'application/json' } }
          const url = isNotes ? 'http://notes.example/graphql' : `${server.url}/graphql`
          return (await (isNotes ? notes.fetch(url, init) : fetch(url, init))).json()
        }
      },
    })
    const ask = (source: string, variableValues = {}) =>
      execute({ schema, document: parse(source), variableValues })
    const away = await ask('{ noted { uid notes kind owner } }')
    expect(away).toEqual({
      data: {
        noted: [orders[1], orders[0]].map((order) => ({
          uid: order?.uid,
          notes: [`a note on ${order?.uid.slice(0, 6)}`],
          kind: 'SELL',
          owner,
        })),
      },
    })
    const there = await ask(
      'query ($owner: Address!) { account(address: $owner) { label orders(first: 2) { nodes { uid notes } } } }',
      { owner },
    )
    expect(there.errors).toBeUndefined()
    const account = there.data?.account as { label: string; orders: { nodes: { notes: string[] }[] } }
    expect([account.label, account.orders.nodes.map(({ notes }) => notes.length)]).toEqual([
      `the account ${owner.slice(-2)}`,
      [1, 1],
    ])
  })

  test('clients that read the schema do not see what is for gateways', async () => {
    const { body } = await request(`${server.url}/schema.graphql`)
    expect(body).not.toMatch(/\b_(Any|Entity|Service|entities|service)\b|@key|@link/)
  })
})
