import { afterAll, beforeAll, expect, test } from 'vitest'
import type { QuoteRequest } from '../../src/domain/quote/quote.ts'
import { quote } from '../../src/quotes/quote.ts'
import { coin, dollar, numbered } from '../fakes/order.ts'
import { createQuoteServices, estimatorOf } from '../fakes/quote-services.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { request } from '../setup/trader.ts'

/**
 * A thousand dollars of six decimals are sold for half a coin that costs as much as the native one. A
 * settlement takes 200,000 gas at 10 gwei; a dollar atom costs 500,000,000 native atoms.
 */
const sold = 1_000_000_000n
const bought = 5n * 10n ** 17n
const rates = new Map([
  [dollar, { nativeAmount: 5n * 10n ** 17n, tokenAmount: 10n ** 9n }],
  [coin, { nativeAmount: 1n, tokenAmount: 1n }],
])

let server: TestServer
let feeRules: Parameters<typeof createQuoteServices>[1] = {}
beforeAll(async () => {
  server = await openTestServer({
    quote: (asked: QuoteRequest) =>
      quote(
        asked,
        createQuoteServices(server.database.db, {
          look: async () => ({ block: 1, gasPrice: 10_000_000_000n, pools: [] }),
          outsidePrice: async (token) => rates.get(token) ?? expect.fail(),
          router: estimatorOf('router', { sellAmount: sold, buyAmount: bought, gas: 200_000n }),
          ...feeRules,
        }),
      ),
  })
})
afterAll(() => server?.[Symbol.asyncDispose]())

async function ask(size: object) {
  const { status, body } = await request(`${server.url}/sepolia/api/v1/quote`, 'POST', {
    sellToken: dollar,
    buyToken: coin,
    from: numbered('1a'),
    kind: 'sell',
    validTo: 1_800_001_000,
    ...size,
  })
  expect(status).toBe(200)
  const { sellAmount, buyAmount, feeAmount, gasAmount, gasPrice, sellTokenPrice } = body.quote
  return { sellAmount, buyAmount, feeAmount, gasAmount, gasPrice, sellTokenPrice, bps: body.protocolFeeBps }
}

const costs = { gasAmount: '200000', gasPrice: '10000000000', sellTokenPrice: '500000000' }

test('the fee comes out of the amount, and the rest is sold at the rate of the whole', async () => {
  feeRules = {}
  expect(await ask({ sellAmountBeforeFee: `${sold}` })).toEqual({
    ...costs,
    sellAmount: '996000000',
    feeAmount: '4000000',
    buyAmount: '498000000000000000',
    bps: undefined,
  })
})

test('a volume fee of two basis points is shown, and taken from the buy amount', async () => {
  feeRules = { feeRules: [{ kind: 'volume', factor: 200n }] }
  expect(await ask({ sellAmountBeforeFee: `${sold}` })).toEqual({
    ...costs,
    sellAmount: '996000000',
    feeAmount: '4000000',
    buyAmount: '497900400000000000',
    bps: '2',
  })
})

test('after the fee, all of the amount is sold', async () => {
  feeRules = {}
  expect(await ask({ sellAmountAfterFee: `${sold}` })).toEqual({
    ...costs,
    sellAmount: '1000000000',
    feeAmount: '4000000',
    buyAmount: '500000000000000000',
    bps: undefined,
  })
})

test('a buy order has the volume fee on top of the sell amount and its fee', async () => {
  feeRules = { feeRules: [{ kind: 'volume', factor: 200n }] }
  expect(await ask({ kind: 'buy', buyAmountAfterFee: `${bought}` })).toEqual({
    ...costs,
    // 1,004,000,000 with its fee: two basis points are 200,800.
    sellAmount: '1000200800',
    feeAmount: '4000000',
    buyAmount: '500000000000000000',
    bps: '2',
  })
})
