import { afterEach, beforeEach, expect, test } from 'vitest'
import { Outage } from '../../src/domain/errors/error.ts'
import { createCoingeckoHistory } from '../../src/market/prices/coingecko-history.ts'
import { OutsideFault, Throttled } from '../../src/outside/fault.ts'
import { numbered } from '../fakes/order.ts'
import {
  answering,
  type Behaviour,
  hanging,
  huge,
  type SolverEngineFake,
  saying,
  startSolverEngine,
  status,
} from '../fakes/solver-engine.ts'

const token = numbered('a0')
let server: SolverEngineFake
beforeEach(async () => {
  server = await startSolverEngine()
})
afterEach(() => server.close())

const find = (behaviour: Behaviour, interval: 'fiveMinutes' | 'oneDay' = 'fiveMinutes', chainId = 8453) => {
  server.behaves(behaviour)
  const options = { name: 'prices', apiKey: 'secret', keyHeader: 'x-cg-pro-api-key', now: Date.now }
  const source = createCoingeckoHistory(
    { ...options, url: `${server.url}/api/v3`, network: { chainId } },
    interval,
  )
  return source?.find(token, AbortSignal.timeout(500))
}
const chart = (prices: unknown, volumes: unknown = []) =>
  saying(JSON.stringify({ prices, total_volumes: volumes }))

test.each([
  ['fiveMinutes', { vs_currency: 'usd', days: '1' }],
  ['oneDay', { vs_currency: 'usd', days: '30', interval: 'daily' }],
] as const)('%s is asked for by its span', async (interval, query) => {
  const history = await find(
    chart(
      [
        [1_000, 1.5],
        [301_000, 2],
      ],
      [[301_000, 7]],
    ),
    interval,
  )
  expect(history).toEqual([
    { at: 1_000, price: 1.5, volume: null },
    { at: 301_000, price: 2, volume: 7 },
  ])
  expect(server.asked).toMatchObject([
    {
      path: `/api/v3/coins/base/contract/${token}/market_chart`,
      query,
      headers: { 'x-cg-pro-api-key': 'secret' },
    },
  ])
})

test('an unknown token, and one without prices, have none', async () => {
  expect(await find(answering({ error: 'coin not found' }, 404))).toBeUndefined()
  expect(await find(chart([]))).toBeUndefined()
  expect(await find(chart([[1_000, 0]]))).toBeUndefined()
})

test('points out of their order are left out, and so is the oldest of too many', async () => {
  const repeated = [1_000, 1_000, 500, 2_000].map((at) => [at, 1])
  expect(await find(chart(repeated))).toMatchObject([{ at: 1_000 }, { at: 2_000 }])
  const many = Array.from({ length: 1_000 }, (_, index) => [index + 1, 1])
  expect(await find(chart(many))).toHaveLength(576)
})

test.each([
  ['no object', saying('[]'), Outage],
  ['no list', saying('{"prices":{}}'), Outage],
  ['a price that is no number', chart([[1_000, '1']]), Outage],
  ['a negative price', chart([[1_000, -1]]), Outage],
  ['a price beyond all', chart([[1_000, 1e300]]), Outage],
  ['a key that it refuses', status(401), OutsideFault],
  ['too many requests', status(429), Throttled],
  ['a fault of its own', status(500), OutsideFault],
  ['more than is read', huge(1_000_000), OutsideFault],
  ['nothing in time', hanging, Error],
])('%s is an outage', async (_what, behaviour, Fault) => {
  await expect(find(behaviour)).rejects.toBeInstanceOf(Fault)
})

test('it is not there where the provider does not know the chain', () => {
  expect(find(chart([]), 'fiveMinutes', 11155111)).toBeUndefined()
})
