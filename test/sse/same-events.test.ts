import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { numbered } from '../fakes/order.ts'
import { storeNotification, storeOrder } from '../fakes/story.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { openEvents } from './events.ts'

/**
 * Events are written as the database made them. graphql-js executes the same selection where a field in it is
 * not stored.
 */

const account = numbered('d1')
let server: TestServer
beforeAll(async () => {
  server = await openTestServer({}, { streamLimits: { perClient: 10_000 } })
  await storeOrder(server.database.db)
  for (const index of [0, 1]) await storeNotification(server.database.db, account, index)
})
afterAll(() => server[Symbol.asyncDispose]())

const leaves = ['__typename', 'id', 'notificationId', 'account', 'type', 'message', 'timestamp', 'metadata']
const ofOrder = ['uid', '__typename', 'status', 'sellAmount', 'buyToken { address symbol }', 'kind', 'class']
const condition = fc.constantFrom('', '', ' @include(if: $yes)', ' @skip(if: $yes)', ' @include(if: true)')
const alias = fc.constantFrom('', '', 'a: ', 'b: ')

const field = (names: readonly string[]) =>
  fc.tuple(alias, fc.constantFrom(...names), condition).map(([name, text, when]) => {
    const [leaf = '', ...rest] = text.split(' ')
    // An alias is of one field only, so that fields merge.
    const key = name && rest.length === 0 ? `${name[0]}_${leaf}: ` : ''
    return `${key}${leaf}${when} ${rest.join(' ')}`
  })
const fields = (names: readonly string[]) => fc.array(field(names), { minLength: 1, maxLength: 4 })

const selection = fc
  .tuple(
    fields([...leaves, 'isReverted', 'orderUid']),
    fields(ofOrder),
    fields(['executedAmount', 'txHash', ...leaves]),
    fc.constantFrom('', 'first: ', 'n: '),
    condition,
  )
  .map(([own, order, fill, root, when]) => ({
    root,
    node: `{ id ${own.join(' ')} order { uid ${order.join(' ')} OUTSIDE }
      ... on OrderFilledNotification${when} { __typename ${fill.join(' ')} } ...F }`,
  }))

async function firstOf(document: string, yes: boolean) {
  const body = { query: document, variables: { account, yes } }
  await using stream = await openEvents(`${server.url}/graphql`, { body })
  const [first] = await stream.first(1)
  return first
}

test('shared events are what execution gives for any selection', async () => {
  await fc.assert(
    fc.asyncProperty(selection, fc.boolean(), async ({ root, node }, yes) => {
      const documentWith = (outside: string) =>
        `subscription ($account: Address!, $yes: Boolean = true) {
          ${root}notifications(account: $account, after: "earliest") { kind: __typename cursor node ${node.replace('OUTSIDE', outside)} edge: notification { id } }
        }
        fragment F on Notification { message ... @include(if: $yes) { isReverted } }`
      const shared = await firstOf(documentWith(''), yes)
      const executed = await firstOf(documentWith('outside: network { name }'), yes)
      const key = root ? root.slice(0, -2) : 'notifications'
      const { order } = executed?.data.data?.[key].node ?? {}
      if (order) {
        expect(order.outside).toEqual({ name: 'sepolia' })
        delete order.outside
      }
      expect(shared?.data.errors).toBeUndefined()
      expect([shared?.id, JSON.stringify(shared?.data.data)]).toEqual([
        executed?.id,
        JSON.stringify(executed?.data.data),
      ])
    }),
    { numRuns: 60 },
  )
})

test('an event that lacks the metadata of a token is executed, once for all', async () => {
  const query = `subscription ($account: Address!) {
    notifications(account: $account, after: "earliest") { node { order { sellToken { symbol decimals } } } }
  }`
  const first = await firstOf(query, true)
  expect(first?.data.data.notifications.node.order.sellToken).toEqual({ symbol: 'AAA', decimals: 18 })
})
