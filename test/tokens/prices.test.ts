import { afterAll, beforeAll, expect, test } from 'vitest'
import { zeroAddress } from '../../src/domain/evm/address.ts'
import { numbered } from '../fakes/order.ts'
import { collect } from '../setup/collect.ts'
import { eventually } from '../setup/eventually.ts'
import { graphql } from '../setup/trader.ts'
import { openWatchWorld, type WatchWorld } from './watch-world.ts'

const query = `subscription ($tokens: [TokenAddress!]!) {
  tokenPrices(tokens: $tokens) {
    block isComplete isAvailable
    prices { token { address } usdPrice { price source } usdPriceState nativePrice nativePriceState }
  }
}`

interface Item {
  token: { address: string }
  usdPrice: { price: string; source: string } | null
  usdPriceState: string
  nativePrice: string | null
  nativePriceState: string
}
interface Data {
  tokenPrices: { block: number; isComplete: boolean; isAvailable: boolean; prices: Item[] }
}

let world: WatchWorld
beforeAll(async () => {
  world = await openWatchWorld({ WATCHED_PRICES: '16' })
})
afterAll(() => world?.[Symbol.asyncDispose]())

const nowhere = numbered('c0')
const watch = (tokens: readonly string[]) => collect<Data>(world.url, query, { tokens })

async function currentPrices(address: string) {
  const document = `{ token(address: "${address}") { nativePrice usdPrice { price } } }`
  return (await graphql(world.url, document)).token
}

test('the prices that a client watches are bounded', async () => {
  using watcher = watch(Object.values(world.market.tokens).map(({ address }) => address))
  const refused = await eventually('a refusal', () => watcher.results[0])
  expect(refused.errors?.[0]?.extensions).toMatchObject({ code: 'RateLimited' })
  using none = watch([])
  const invalid = await eventually('a refusal', () => none.results[0])
  expect(invalid.errors?.[0]?.extensions).toMatchObject({ code: 'InvalidParameter', field: 'tokens' })
})

test('all prices come first, then those that changed, and none in blocks without a change', async () => {
  const { COW, DAI, USDC, WETH } = world.market.tokens
  using watcher = watch([COW.address, nowhere])
  const first = await eventually('a first update', () => watcher.data()[0])
  const { nativePrice, usdPrice } = await currentPrices(COW.address)
  expect(first.tokenPrices).toMatchObject({ isComplete: true, isAvailable: true })
  expect(first.tokenPrices.prices).toEqual([
    {
      token: { address: COW.address },
      usdPrice: { price: usdPrice.price, source: 'orderbook' },
      usdPriceState: 'KNOWN',
      nativePrice,
      nativePriceState: 'KNOWN',
    },
    {
      token: { address: nowhere },
      usdPrice: null,
      usdPriceState: 'ABSENT',
      nativePrice: null,
      nativePriceState: 'ABSENT',
    },
  ])
  const quiet = await world.blockNumber()
  await eventually('two blocks', async () => (await world.blockNumber()) >= quiet + 2)
  expect(watcher.results).toHaveLength(1)

  // More of the token in its pools: it is worth less.
  const [account] = world.market.accounts.map(({ address }) => address)
  if (!account) throw new Error('there is an account')
  for (const other of [WETH, USDC, DAI]) {
    const pool = await world.poolOf(COW.address, other.address)
    if (pool === zeroAddress) continue
    await world.write(account, COW.address, 'transfer', [pool, 10n ** 21n])
    await world.write(account, pool, 'sync')
  }
  const changed = await eventually('a change', async () => {
    const last = watcher.data().at(-1)
    const price = last?.tokenPrices.prices[0]?.nativePrice
    return price !== nativePrice && price === (await currentPrices(COW.address)).nativePrice && last
  })
  expect(changed.tokenPrices).toMatchObject({
    isComplete: false,
    prices: [{ token: { address: COW.address }, nativePriceState: 'KNOWN' }],
  })
  expect(Number(changed.tokenPrices.prices[0]?.nativePrice)).toBeLessThan(Number(nativePrice))
})

test('a node that is away is told once, and a complete update follows', async () => {
  using watcher = watch([world.market.tokens.DAI.address])
  await eventually('a first update', () => watcher.results.length === 1)
  world.way.close()
  const away = await eventually('word of the outage', () => watcher.data()[1])
  expect(away.tokenPrices).toMatchObject({ isAvailable: false, prices: [] })
  world.way.open()
  const back = await eventually('a complete update', () => watcher.data()[2])
  expect(back.tokenPrices).toMatchObject({ isAvailable: true, isComplete: true })
})
