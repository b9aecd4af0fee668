import { type OrderBookApi, OrderKind, PriceQuality, type TradingSdk } from '@cowprotocol/cow-sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TokenSymbol } from '../../src/dev/market/market.ts'
import { eventually } from '../setup/eventually.ts'
import { createRandom } from '../setup/random.ts'
import { createSdk } from '../setup/sdk.ts'
import { startWorld, type World } from '../setup/world.ts'

const swaps = 100
/** Orders that wait for their settlement at a time. */
const concurrency = 10
/** Prices move between quote and settlement. */
const maxMissed = 1
const slippageBps = 50n
/** Atoms of each token for a dollar. */
const dollar: Partial<Record<TokenSymbol, bigint>> = {
  WETH: 10n ** 18n / 3_000n,
  USDC: 10n ** 6n,
  DAI: 10n ** 18n,
  COW: 10n ** 19n / 3n,
}

let world: World
let api: OrderBookApi
let sdk: TradingSdk
beforeAll(async () => {
  world = await startWorld()
  ;({ api, sdk } = createSdk(world))
})
afterAll(() => world?.[Symbol.asyncDispose]())

interface Swap {
  kind: OrderKind
  sell: TokenSymbol
  buy: TokenSymbol
  amount: bigint
}

/** Swaps of $100 to $15,000, small ones as often as large ones. */
function randomSwaps(count: number): Swap[] {
  const { next, pick } = createRandom(7)
  const symbols = Object.keys(dollar) as TokenSymbol[]
  return Array.from({ length: count }, () => {
    const sell = pick(symbols)
    const buy = pick(symbols.filter((symbol) => symbol !== sell))
    const kind = next() < 0.5 ? OrderKind.SELL : OrderKind.BUY
    const cents = BigInt(Math.round(10_000 * 150 ** next()))
    const atoms = dollar[kind === OrderKind.SELL ? sell : buy] ?? 0n
    return { kind, sell, buy, amount: (atoms * cents) / 100n }
  })
}

/** Trades at the price of a verified quote, as a client does that uses only the library. */
async function swapAndWait({ kind, sell, buy, amount }: Swap) {
  const { tokens } = world.market
  const { quoteResults, postSwapOrderFromQuote } = await sdk.getQuote(
    {
      kind,
      amount: `${amount}`,
      slippageBps: Number(slippageBps),
      sellToken: tokens[sell].address,
      sellTokenDecimals: tokens[sell].decimals,
      buyToken: tokens[buy].address,
      buyTokenDecimals: tokens[buy].decimals,
    },
    { quoteRequest: { priceQuality: PriceQuality.VERIFIED } },
  )
  const { quote, verified } = quoteResults.quoteResponse
  const { orderId } = await postSwapOrderFromQuote()
  const settled = async () => {
    const { status, executedSellAmount, executedBuyAmount } = await api.getOrder(orderId)
    return status === 'fulfilled' && { sold: BigInt(executedSellAmount), bought: BigInt(executedBuyAmount) }
  }
  const order = await eventually(`${kind} ${amount} ${sell} → ${buy}`, settled, 60_000)
  return { verified, quote, order }
}

test(`of ${swaps} random swaps at verified quotes nearly all settle, within the slippage`, async () => {
  const queue = randomSwaps(swaps)
  const settled: Awaited<ReturnType<typeof swapAndWait>>[] = []
  const missed: unknown[] = []
  const worker = async () => {
    for (let swap = queue.shift(); swap; swap = queue.shift()) {
      await swapAndWait(swap).then(
        (result) => settled.push(result),
        (error: unknown) => missed.push(error),
      )
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))

  expect(missed.length, String(missed)).toBeLessThanOrEqual(maxMissed)
  for (const { verified, quote, order } of settled) {
    expect(verified).toBe(true)
    const [sell, buy] = [BigInt(quote.sellAmount) + BigInt(quote.feeAmount), BigInt(quote.buyAmount)]
    if (quote.kind === 'sell') {
      expect(order.sold).toBe(sell)
      expect(order.bought * 10_000n).toBeGreaterThanOrEqual(buy * (10_000n - slippageBps) - 10_000n)
    } else {
      expect(order.bought).toBe(buy)
      expect(order.sold * 10_000n).toBeLessThanOrEqual(sell * (10_000n + slippageBps) + 10_000n)
    }
  }
}, 300_000)
