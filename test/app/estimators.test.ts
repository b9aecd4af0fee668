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
const stranger = numbered('5e')
const minting = new Interface(['function mint(address to, uint256 value)'])
/** Of an answer that waits for nobody; a busy machine is slow too. Whoever hangs is given up on after 2,500 ms. */
const spareMs = 1_500

type Peer = Awaited<ReturnType<typeof startSolverEngine>>

/** Those who would spoil a quote, all at once. */
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
    return { kind, name, url: (peers[index] ?? honest).url, address: stranger }
  })
  world = await startWorld({ roles: ['serve'], environment: { QUOTE_ESTIMATORS: JSON.stringify(sources) } })
  // The first quote reads the whole market, and is in no hurry.
  expect((await post('quote', { sellAmountBeforeFee: `${2n * one}` })).status).toBe(200)
  for (const [index, [, , behaviour]] of culprits.entries()) peers[index]?.behaves(behaviour())
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await Promise.all([...(peers ?? []), honest].map((peer) => peer?.close()))
})

let amount = one
afterEach(() => {
  // Answers are remembered for a moment: each test asks for another amount.
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

/** No pool of the local market pays more. */
const possible = () => (amount * 3_000n * dollar) / one
const dear = () =>
  new Map<Address, bigint>([
    [describeMarket().tokens.WETH.address, one],
    [describeMarket().tokens.USDC.address, 4_000n * dollar],
  ])

const timeout = 900

test.each(['fast', 'optimal', 'verified'])(
  'a quote that is %s is won by no spoiler, nor held up',
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

test('nor is a stream', async () => {
  const { status, text, tookMs } = await post('quote/stream', { timeout })
  expect(status).toBe(200)
  expect(tookMs).toBeLessThan(timeout + spareMs)
  const told = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data))
  expect(told.length).toBeGreaterThan(0)
  for (const { quote } of told) expect(BigInt(quote.buyAmount)).toBeLessThan(possible())
})

test('whoever really gives more wins, with what the simulation gave', async () => {
  const { tokens, network } = world.market
  // The driver has another way to the money than pools: its token can be made at will. It makes a dollar less than it says.
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
