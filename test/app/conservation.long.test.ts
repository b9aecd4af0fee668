import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TokenSymbol } from '../../src/dev/market/market.ts'
import { eventually } from '../setup/eventually.ts'
import { createTrader, graphql, type OrderWish, request } from '../setup/trader.ts'
import { startProgram, startWorld, type World } from '../setup/world.ts'

const weth = 10n ** 18n
const usdc = 10n ** 6n

let world: World
beforeAll(async () => {
  world = await startWorld({ roles: ['serve', 'index'], environment: { FEE_POLICIES: '[]' } })
})
afterAll(() => world?.[Symbol.asyncDispose]())

async function heldBySettlement(symbol: TokenSymbol): Promise<bigint> {
  const { network, tokens } = world.market
  const data = `0x70a08231${network.settlement.slice(2).padStart(64, '0')}`
  return BigInt(
    await world.chain.rpc.call<string>('eth_call', [{ to: tokens[symbol].address, data }, 'latest']),
  )
}

const held = async () => ({ WETH: await heldBySettlement('WETH'), USDC: await heldBySettlement('USDC') })

function placeAll(wishes: readonly OrderWish[]): Promise<string[]> {
  return Promise.all(
    wishes.map(async (wish, index) => {
      const account = index % world.market.accounts.length
      const { status, body } = await createTrader(world.url, world.market, account).place(wish)
      expect([status, body]).toEqual([201, expect.any(String)])
      return String(body)
    }),
  )
}

/**
 * Auctions run only while there is something to settle: orders that were placed before get into one auction,
 * at prices as they were.
 */
async function settleAll(uids: readonly string[]) {
  const environment = { SOLVER_PRIVATE_KEY: world.market.solver.privateKey, FEE_POLICIES: '[]' }
  const auctioneer = await startProgram(world, environment, { roles: ['auction'] })
  try {
    return await settled(uids)
  } finally {
    await auctioneer.close()
  }
}

/** @returns the transactions of the orders and the fees told */
async function settleTogether(wishes: readonly OrderWish[]) {
  const reports = await settleAll(await placeAll(wishes))
  const told = { WETH: 0n, USDC: 0n }
  for (const [index, { auctions }] of reports.entries()) {
    const sold = wishes[index]?.sell
    if (sold === 'WETH' || sold === 'USDC') told[sold] += BigInt(auctions[0].executions[0].executedFee)
  }
  return { transactions: new Set(reports.map(({ trades }) => trades[0].txHash)).size, told }
}

async function settled(uids: readonly string[]) {
  const base = `${world.url}/${world.market.network.name}/api/v1`
  return eventually(
    'all are settled',
    async () => {
      const bodies = await Promise.all(
        uids.map(async (uid) => (await request(`${base}/debug/order/${uid}`)).body),
      )
      return bodies.every(({ trades, auctions }) => trades[0] && auctions[0]?.executions[0]) && bodies
    },
    20_000,
  )
}

/** A dollar atom that rounding leaves is told as the fee of the WETH that it is worth. */
async function expectOnlyFeesKept(wishes: readonly OrderWish[]) {
  const before = await held()
  const { transactions, told } = await settleTogether(wishes)
  const after = await held()
  expect(transactions).toBe(1)
  const count = BigInt(wishes.length)
  const dollars = after.USDC - before.USDC - told.USDC
  expect(dollars >= -count && dollars <= count, `${dollars} atoms of USDC`).toBe(true)
  const ether = told.WETH - (after.WETH - before.WETH)
  const dollarAtom = weth / (2_900n * usdc)
  expect(ether >= -count && ether <= count * dollarAtom, `${ether} atoms of WETH`).toBe(true)
}

test('100,000 dollars sold and 30 coins bought leave nothing but their fees in the contract', async () => {
  const sold = { sell: 'USDC', buy: 'WETH' } as const
  await expectOnlyFeesKept([
    { ...sold, sellAmount: 100_000n * usdc, buyAmount: 32n * weth },
    { ...sold, kind: 'buy', sellAmount: 95_000n * usdc, buyAmount: 30n * weth },
  ])
})

test('10 coins sold and 10 bought match inside the spread of the pools, and leave nothing but their fees', async () => {
  const reserves = await poolPrice()
  await expectOnlyFeesKept([
    { sell: 'WETH', buy: 'USDC', sellAmount: 10n * weth, buyAmount: (reserves * 10n * 999n) / 1_000n },
    {
      sell: 'USDC',
      buy: 'WETH',
      kind: 'buy',
      sellAmount: (reserves * 10n * 1_001n) / 1_000n,
      buyAmount: 10n * weth,
    },
  ])
})

test('60 equal swaps are settled in at most two transactions, and leave nothing but their fees', async () => {
  const before = await held()
  const price = await poolPrice()
  const { transactions, told } = await settleTogether(
    Array.from({ length: 60 }, (_, index) => ({
      sell: 'WETH' as const,
      buy: 'USDC' as const,
      sellAmount: weth / 10n + BigInt(index),
      buyAmount: (price * 97n) / 1_000n,
    })),
  )
  expect(transactions).toBeLessThanOrEqual(2)
  const after = await held()
  expect(after.USDC - before.USDC).toBeLessThanOrEqual(62n)
  expect(told.WETH - (after.WETH - before.WETH)).toBeLessThanOrEqual((60n * weth) / (2_900n * usdc))
})

test('60 orders of dust at a generous price do not keep a swap waiting', async () => {
  const dust = Array.from({ length: 60 }, (_, index) => ({
    sell: 'WETH' as const,
    buy: 'USDC' as const,
    sellAmount: 10n ** 11n + BigInt(index),
    buyAmount: 1n,
  }))
  const swap = { sell: 'WETH' as const, buy: 'USDC' as const, sellAmount: weth, buyAmount: 2_000n * usdc }
  const uids = await placeAll([...dust, swap])
  const [report] = await settleAll(uids.slice(-1))
  expect(report.auctions).toHaveLength(1)
  expect(report.auctions[0].proposedSolutions[0]).toMatchObject({ isWinner: true })
})

test.each([
  ['three', ['WETH', 'USDC', 'DAI'], 15n],
  ['four', ['WETH', 'COW', 'DAI', 'USDC'], 15n],
] as const)('a ring of %s whose limits no pool meets is settled without pools', async (_, ring, better) => {
  const wishes: OrderWish[] = []
  let sellAmount = weth
  for (const [index, sell] of ring.entries()) {
    const buy = ring[(index + 1) % ring.length] ?? sell
    const { buyAmount } = await quoted(sell, buy, { sellBeforeFee: sellAmount.toString() })
    const min = (BigInt(buyAmount) * (10_000n + better)) / 10_000n
    wishes.push({ sell, buy, sellAmount, buyAmount: min })
    sellAmount = min
  }
  const before = await Promise.all(ring.map(heldBySettlement))
  const { transactions } = await settleTogether(wishes)
  const after = await Promise.all(ring.map(heldBySettlement))
  expect(transactions).toBe(1)
  const [fee = 0n, ...others] = ring.map((_token, index) => (after[index] ?? 0n) - (before[index] ?? 0n))
  expect(others).toEqual(others.map(() => 0n))
  expect(fee > 0n && fee < weth / 1_000n, `${fee} atoms of WETH`).toBe(true)
})

/** Dollar atoms for a coin in the middle between what a small sale and a small purchase get. */
async function poolPrice(): Promise<bigint> {
  const amount = weth.toString()
  const [bid, ask] = await Promise.all([
    quoted('WETH', 'USDC', { sellBeforeFee: amount }),
    quoted('USDC', 'WETH', { buyAfterFee: amount }),
  ])
  const [low, high] = [(BigInt(bid.buyAmount) * weth) / BigInt(bid.sellAmount), BigInt(ask.sellAmount)]
  return (low + high) / 2n
}

/** In the newest block. */
async function quoted(sell: TokenSymbol, buy: TokenSymbol, amount: object) {
  const head = Number(await world.chain.rpc.call<string>('eth_blockNumber', []))
  return eventually('a quote on the newest block', async () => {
    const document = `mutation ($input: QuoteInput!) {
      quote(input: $input) { quote { sellAmount buyAmount } route { block } }
    }`
    const { tokens, accounts } = world.market
    const [sellToken, buyToken] = [tokens[sell].address, tokens[buy].address]
    const input = { from: accounts[0]?.address, sellToken, buyToken, amount }
    const { quote } = await graphql(world.url, document, { input })
    return quote.route.block >= head && quote.quote
  })
}
