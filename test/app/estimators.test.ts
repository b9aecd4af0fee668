import { Interface } from 'ethers'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { describeMarket } from '../../src/dev/market/market.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import { numbered } from '../fakes/order.ts'
import {
  answering,
  atPrices,
  type Behaviour,
  dripping,
  hanging,
  nested,
  refusing,
  saying,
  startSolverEngine,
  throughPools,
} from '../fakes/solver-engine.ts'
import { startWorld, type World } from '../setup/world.ts'

const one = 10n ** 18n
const dollar = 10n ** 6n
const outsideSolver = numbered('5e')
const minting = new Interface(['function mint(address to, uint256 value)'])
/** Time that a busy machine adds to an answer. An estimator that hangs times out after 2,500 ms. */
const spareMs = 1_500

type Peer = Awaited<ReturnType<typeof startSolverEngine>>

/** Estimators that lie, hang or fail, all at once. */
const culprits: [name: string, kind: 'engine' | 'driver', behaviour: () => Behaviour][] = [
  ['a-liar-whose-calls-work', 'engine', () => throughPools({ times: 1_300n })],
  ['a-liar-without-calls', 'engine', () => atPrices(dear())],
  ['a-lying-driver', 'driver', () => atPrices(dear())],
  ['one-that-hangs', 'engine', () => hanging],
  ['one-that-never-ends', 'driver', () => dripping],
  ['garbage', 'engine', () => saying('<html>')],
  ['a-deep-answer', 'engine', () => nested(50_000)],
  ['an-answer-of-another-kind', 'driver', () => answering({ amount: 'NaN', solver: 7 })],
]

let world: World
let peers: Peer[]
let honest: Peer
beforeAll(async () => {
  peers = await Promise.all(culprits.map(() => startSolverEngine(refusing('QuotingFailed'))))
  honest = await startSolverEngine(refusing('QuotingFailed'))
  const sources = [...culprits, ['honest', 'driver'] as const].map(([name, kind], index) => {
    return { kind, name, url: (peers[index] ?? honest).url, address: outsideSolver }
  })
  world = await startWorld({ roles: ['serve'], environment: { QUOTE_ESTIMATORS: JSON.stringify(sources) } })
  // The first quote reads the whole market, so it has no timeout.
  expect((await post('quote', { sellAmountBeforeFee: `${2n * one}` })).status).toBe(200)
  for (const [index, [, , behaviour]] of culprits.entries()) peers[index]?.behaves(behaviour())
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await Promise.all([...(peers ?? []), honest].map((peer) => peer?.close()))
})

let amount = one
afterEach(() => {
  // Estimates are cached for a moment: each test asks for another amount.
  amount += one / 1_000n
})

function body(more: object = {}) {
  const { tokens, accounts } = world.market
  return {
    kind: 'sell',
    sellAmountBeforeFee: `${amount}`,
    sellToken: tokens.WETH.address,
    buyToken: tokens.USDC.address,
    from: accounts[0]?.address,
    ...more,
  }
}

async function post(path: string, more: object) {
  const started = performance.now()
  const response = await fetch(`${world.url}/sepolia/api/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body(more)),
  })
  const text = await response.text()
  return { status: response.status, text, tookMs: performance.now() - started }
}

/** The most that a pool of the local market pays. */
const possible = () => (amount * 3_000n * dollar) / one
const dear = () =>
  new Map<Address, bigint>([
    [describeMarket().tokens.WETH.address, one],
    [describeMarket().tokens.USDC.address, 4_000n * dollar],
  ])

const timeout = 900

test.each(['fast', 'optimal', 'verified'])(
  'a quote of quality %s is neither won nor delayed by a culprit',
  async (priceQuality) => {
    const before = peers.map(({ asked }) => asked.length)
    const { status, text, tookMs } = await post('quote', { priceQuality, timeout })
    expect(status).toBe(200)
    expect(tookMs).toBeLessThan(timeout + spareMs)
    const { quote, verified } = JSON.parse(text)
    expect(BigInt(quote.buyAmount)).toBeLessThan(possible())
    expect(BigInt(quote.buyAmount)).toBeGreaterThan((possible() * 99n) / 100n)
    expect(verified).toBe(priceQuality === 'verified')
    await Promise.all(peers.map((peer, index) => peer.wasAsked((before[index] ?? 0) + 1)))
  },
)

test('a quote stream is neither won nor delayed by a culprit', async () => {
  const { status, text, tookMs } = await post('quote/stream', { timeout })
  expect(status).toBe(200)
  expect(tookMs).toBeLessThan(timeout + spareMs)
  const replies = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data))
  expect(replies.length).toBeGreaterThan(0)
  for (const { quote } of replies) expect(BigInt(quote.buyAmount)).toBeLessThan(possible())
})

test('an estimator that really gives more wins, with the simulated amount', async () => {
  const { tokens, network } = world.market
  // The driver does not depend on pools: it mints the bought token. It mints a dollar less than it claims.
  const made = (amount * 4_000n * dollar) / one - dollar
  const callData = minting.encodeFunctionData('mint', [network.settlement, made])
  const interactions = [{ target: tokens.USDC.address, value: '0', callData }]
  honest.behaves(atPrices(dear(), { interactions }))
  for (const priceQuality of ['verified', 'optimal']) {
    const { status, text } = await post('quote', { priceQuality, timeout })
    expect(status).toBe(200)
    const { quote, verified } = JSON.parse(text)
    expect(verified).toBe(true)
    const sold = BigInt(quote.sellAmount)
    expect(BigInt(quote.buyAmount)).toBe((made * sold) / amount)
  }
})
