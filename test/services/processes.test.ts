import { createClient } from 'graphql-sse'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestChain, type TestChain } from '../setup/chain.ts'
import { eventually } from '../setup/eventually.ts'
import { createProcesses, end, type Processes } from '../setup/processes.ts'
import { createTrader, request } from '../setup/trader.ts'

/** The program as several processes over an external PostgreSQL. */
const oneWeth = 10n ** 18n

let chain: TestChain
let processes: Processes
beforeAll(async () => {
  chain = await startTestChain()
  processes = await createProcesses(chain)
})
afterAll(async () => {
  await processes?.[Symbol.asyncDispose]()
  await chain?.[Symbol.asyncDispose]()
})

test('an order placed at one process is notified by another, and a killed leader is replaced', async () => {
  // All start at once over an empty database, and one of them migrates it.
  const { start } = processes
  const [one, other, indexer] = await Promise.all([
    start('serve'),
    start('serve'),
    start('index'),
    start('auction'),
  ])
  await start('index')
  const trader = createTrader(one.ready, chain.market)
  const client = createClient({ url: `${other.ready}/graphql/stream` })
  const notified: string[] = []
  const stream = client.iterate<{
    notifications: { notification: { type: string; metadata: { orderId: string } } }
  }>({
    query: `subscription ($account: Address!) {
      notifications(account: $account, after: "earliest") { notification { type metadata } }
    }`,
    variables: { account: trader.address },
  })
  const listening = (async () => {
    // A fill may also be a price improvement.
    for await (const { data } of stream) {
      const { type, metadata } = data?.notifications.notification ?? {}
      if (type === 'ORDER_FILLED' && metadata) notified.push(metadata.orderId)
    }
  })()

  const first = await trader.place({ sell: 'WETH', buy: 'USDC', sellAmount: oneWeth, buyAmount: 1n })
  expect(first.status).toBe(201)
  await eventually('a notification of the first order', () => notified.includes(first.body))

  await end(indexer.child, 'SIGKILL')
  const second = await trader.place({ sell: 'DAI', buy: 'USDC', sellAmount: oneWeth, buyAmount: 1n })
  await eventually('a notification of the second order', () => notified.includes(second.body))
  expect(notified).toEqual([first.body, second.body])
  const { body } = await request(`${other.ready}/sepolia/api/v1/orders/${second.body}`)
  expect(body.status).toBe('fulfilled')

  await stream.return?.()
  client.dispose()
  await listening.catch(() => undefined)
}, 240_000)
