import { getIntrospectionQuery } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Doors, openDoors } from '../doors.ts'
import { numbered } from '../fakes/order.ts'
import { storeOrder, storeSettledOrder } from '../fakes/story.ts'
import { request } from '../trader.ts'

let doors: Doors
beforeAll(async () => {
  doors = await openDoors()
  await storeSettledOrder(doors.database.db, 9n, numbered('0f'))
  await storeOrder(doors.database.db, { owner: numbered('0f'), buyAmount: 1n })
})
afterAll(() => doors[Symbol.asyncDispose]())

const ask = (query: string, variables = {}) => request(`${doors.url}/graphql`, 'POST', { query, variables })

const around = (depth: number) =>
  `{orders(first:1000){nodes{${'auctions{orders{'.repeat(depth)}uid${'}}'.repeat(depth)}}}}`

const page = `query ($first: Int! = 1000, $with: Boolean! = true) {
  orders(first: $first) { nodes { auctions @include(if: $with) { orders { uid } } } } }`

/** Of this process alone: what multiplies takes seconds of it, and a busy machine none. */
const cpuMs = () => process.cpuUsage().user / 1_000

describe('refused before anything is read', () => {
  test.each([
    ['two lists in each other', around(1), {}],
    ['four', around(2), {}],
    ['ten', around(5), {}],
    ['a page from a variable', page, { first: 1000 }],
    ['a page from the default of a variable', page, {}],
    [
      'lists in fragments',
      `{orders(first:1000){edges{node{...A}}}} fragment A on Order{auctions{...B}} fragment B on Auction{orders{uid}}`,
      {},
    ],
    [
      'fragments that multiply',
      `{orders{nodes{...F0}}} ${Array.from({ length: 40 }, (_, index) => `fragment F${index} on Order{uid ...F${index + 1} ...F${index + 1}}`).join(' ')} fragment F40 on Order{uid}`,
      {},
    ],
    [
      'introspection by aliases',
      `{${Array.from({ length: 50 }, (_, index) => `a${index}:__schema{types{fields{name}}}`).join('')}}`,
      {},
    ],
  ])('%s', async (_what, query, variables) => {
    const started = cpuMs()
    const { status, body } = await ask(query, variables)
    expect(cpuMs() - started).toBeLessThan(500)
    expect([status, body.data, body.errors[0].extensions.code]).toEqual([200, undefined, 'QueryTooComplex'])
  })

  test('five at once do not keep others waiting', async () => {
    const heavy = Array.from({ length: 5 }, () => ask(around(2)))
    const started = cpuMs()
    expect((await request(`${doors.url}/health/live`)).status).toBe(200)
    expect(cpuMs() - started).toBeLessThan(1_000)
    for (const { body } of await Promise.all(heavy)) expect(body.errors).toHaveLength(1)
  })
})

test('the same over a stream', async () => {
  const response = await fetch(`${doors.url}/graphql/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query: around(2) }),
  })
  expect(await response.text()).toContain('QueryTooComplex')
})

test.each([
  ['introspection', getIntrospectionQuery(), {}],
  ['the largest page', '{orders(first:1000){nodes{uid status sellToken{symbol} buyToken{symbol}}}}', {}],
  ['a page with its branch left out', page, { with: false }],
  ['a small page', page, { first: 20 }],
  [
    'a page with its whole story',
    `{orders(first:50){nodes{uid trades{txHash} events{label}
      auctions{id solutions{ranking orders{executedSell order{uid}}}}}}}`,
    {},
  ],
])('admitted: %s', async (_what, query, variables) => {
  const { body } = await ask(query, variables)
  expect(body.errors).toBeUndefined()
  expect(body.data).toBeTruthy()
})
