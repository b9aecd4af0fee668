import { afterAll, beforeAll, expect, test } from 'vitest'
import { findOrderBook } from '../../src/dev/follow.ts'
import { describeMarket } from '../../src/dev/market/market.ts'
import { composableCow } from '../../src/domain/programmatic/handlers.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { startDev } from '../setup/dev.ts'
import { eventually } from '../setup/eventually.ts'
import { createTemporaryHome, removeTemporaryHome } from '../setup/home.ts'
import { createTrader, graphql } from '../setup/trader.ts'

const homes = [createTemporaryHome(), createTemporaryHome()] as const
const programs: ReturnType<typeof startDev>[] = []
let book: Awaited<ReturnType<ReturnType<typeof startDev>['ready']>>

beforeAll(async () => {
  const own = startDev(homes[0])
  programs.push(own)
  book = await own.ready()
})
afterAll(async () => {
  for (const { program, ended } of programs.toReversed()) {
    program.kill('SIGTERM')
    await ended
  }
  for (const home of homes) removeTemporaryHome(home)
})

test('a second system follows the first one by its URL alone, with its node', async () => {
  const follower = startDev(homes[1], {
    flags: ['--follow', book.url, '--rpc', book.rpcUrl],
    environment: { LOG_LEVEL: 'warn' },
  })
  programs.push(follower)
  const { url, network, chainId, accounts } = await follower.ready()
  expect({ network, chainId, accounts }).toEqual({ network: 'sepolia', chainId: book.chainId, accounts: [] })
  const market = describeMarket()
  const trader = createTrader(book.url, market)
  const { body: uid } = await trader.place({
    sell: 'WETH',
    buy: 'USDC',
    sellAmount: 10n ** 16n,
    buyAmount: 1n,
  })
  const query = `{ order(uid: "${uid}") { status trades(first: 9) { nodes { txHash } } } }`
  const [there, here] = await Promise.all(
    [book.url, url].map((at) =>
      eventually('the order is filled', async () => {
        const { order } = await graphql(at, query)
        return order?.status === 'FULFILLED' && order
      }),
    ),
  )
  expect(here).toEqual(there)
  const placed = await createTrader(url, market).place({
    sell: 'WETH',
    buy: 'USDC',
    sellAmount: 10n ** 16n,
    buyAmount: 10n ** 15n,
  })
  expect((await trader.order(placed.body)).status).toBe('open')
  // No default of a follower is worth a warning.
  expect(follower.output().errors).toBe('')
}, 240_000)

test('the base URL of a network is taken too, and the chain from the node', async () => {
  const url = `${book.url}/sepolia`
  const found = await findOrderBook({ url: `${url}/`, rpcUrl: book.rpcUrl }, 'production', silentLog)
  expect(found.orderBook?.url).toBe(url)
  const { settlement, vaultRelayer, wrappedNative, chainId } = describeMarket().network
  const conditionalOrders = { composableCow, firstBlock: 0 }
  expect(found.network).toMatchObject({
    chainId,
    settlement,
    vaultRelayer,
    wrappedNative,
    firstBlock: 0,
    conditionalOrders,
  })
})

test.each([
  [{ url: 'ftp://there' }, '--follow must be an http or https URL'],
  [{ rpcUrl: 'http://127.0.0.1:9' }, 'no node answers at http://127.0.0.1:9/: name one with --rpc'],
  [{ url: 'http://127.0.0.1:9/sepolia' }, 'no order book answers at http://127.0.0.1:9/sepolia'],
])('%j is refused with the reason', async (flags, reason) => {
  const given = { url: book.url, rpcUrl: book.rpcUrl, ...flags }
  await expect(findOrderBook(given, 'production', silentLog)).rejects.toThrow(reason)
})

test.each([
  ['mainnet', 'serves sepolia (chain 11155111), not mainnet'],
  ['v1/sepolia', 'no order book answers at'],
])('a path without an order book (%s) is refused with the reason', async (path, reason) => {
  const given = { url: `${book.url}/${path}`, rpcUrl: book.rpcUrl }
  await expect(findOrderBook(given, 'production', silentLog)).rejects.toThrow(reason)
})
