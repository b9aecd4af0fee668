import { Interface } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allowSolvers, type TokenSymbol } from '../../src/dev/market/market.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import { bidding, type SentAuction, type SentOrder } from '../fakes/auction-engine.ts'
import { type SolverEngineFake, startSolverEngine } from '../fakes/solver-engine.ts'
import { startTestChain, type TestChain } from '../setup/chain.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { createTrader, graphql, type OrderWish } from '../setup/trader.ts'
import { startProgram, unlimited } from '../setup/world.ts'

const coin = 10n ** 18n
const dollar = 10n ** 6n
const erc20 = new Interface([
  'function transfer(address to, uint256 value)',
  'function balanceOf(address) view returns (uint256)',
])

let chain: TestChain
let database: TestDatabase
let app: Awaited<ReturnType<typeof startProgram>>
let engine: SolverEngineFake
let solver: Address

/** What the settlement contract may pay and keep instead of a swap. */
const limits = { perSettlement: 5_000n * dollar, perDay: 8_000n * dollar }

beforeAll(async () => {
  ;[database, chain, engine] = await Promise.all([
    createTestDatabase(),
    startTestChain(),
    startSolverEngine(),
  ])
  const { market, rpc } = chain
  const { network, tokens, outsideSolvers } = market
  const account = outsideSolvers[0] as (typeof outsideSolvers)[0]
  solver = account.address
  await allowSolvers(rpc, [account])
  const data = erc20.encodeFunctionData('transfer', [network.settlement, 50_000n * dollar])
  await rpc.call('eth_sendTransaction', [
    { from: market.accounts[0]?.address, to: tokens.USDC.address, data },
  ])
  await rpc.call('evm_mine')
  const atoms = { perSettlement: String(2n * coin), perDay: String(100n * coin) }
  const environment = {
    ...unlimited,
    FEE_POLICIES: '[{"kind":"volume","factor":0.01}]',
    SOLVERS: JSON.stringify([
      {
        kind: 'engine',
        name: 'keeper',
        url: engine.url,
        privateKey: account.privateKey,
        internalize: [
          { token: tokens.WETH.address, ...atoms },
          {
            token: tokens.USDC.address,
            perSettlement: String(limits.perSettlement),
            perDay: String(limits.perDay),
          },
        ],
      },
    ]),
  }
  app = await startProgram({ database, chain }, environment, { roles: ['serve', 'index', 'auction'] })
})
afterAll(async () => {
  await app?.close()
  await engine?.close()
  await chain?.[Symbol.asyncDispose]()
  await database?.[Symbol.asyncDispose]()
})

const trader = () => createTrader(app.url ?? '', chain.market)

/** WETH for USDC by default. */
async function place(wish: Partial<OrderWish> = {}): Promise<string> {
  const swap = { sell: 'WETH', buy: 'USDC', sellAmount: coin, buyAmount: 1n } as const
  const validTo = Math.floor(Date.now() / 1000) + 1_000 + engine.asked.length
  const { status, body } = await trader().place({ ...swap, validTo, ...wish })
  expect({ status, body }).toEqual({ status: 201, body: expect.any(String) })
  return body
}

async function cancel(uid: string) {
  expect((await trader().cancel([uid])).status).toBe(200)
}

const filled = (uid: string) =>
  eventually('it is filled', async () => (await trader().order(uid)).status === 'fulfilled')

async function held(symbol: TokenSymbol): Promise<bigint> {
  const { network, tokens } = chain.market
  const data = erc20.encodeFunctionData('balanceOf', [network.settlement])
  const call = { to: tokens[symbol].address, data }
  return BigInt(await chain.rpc.call<string>('eth_call', [call, 'latest']))
}

const base = () => `${app.url}/${chain.market.network.name}`
const notices = async (): Promise<{ kind: string; reason: string }[]> =>
  (await fetch(`${base()}/api/v1/solver_notices/${solver}`)).json()
const noticeOf = (kind: string, words: RegExp) =>
  eventually(`${kind} ${words}`, async () =>
    (await notices()).some((notice) => notice.kind === kind && words.test(notice.reason)),
  )

const bookingsQuery = `query ($uid: OrderUid!) { order(uid: $uid) { debugReport { auctions { nodes { settlementAttempts {
  outcome bookings { token { symbol } networkFee protocolFee internalized least change slippage } } } } } } }`

/** Of the settlement of an order, by token. */
async function bookings(uid: string) {
  return eventually('what it changed is read', async () => {
    const { order } = await graphql(app.url ?? '', bookingsQuery, { uid })
    const attempts = order.debugReport.auctions.nodes.flatMap(
      (node: { settlementAttempts: object[] }) => node.settlementAttempts,
    )
    const rows = attempts.find(({ outcome }: { outcome: string }) => outcome === 'SUCCESS')?.bookings ?? []
    if (rows.length === 0 || rows.some(({ change }: { change: string | null }) => change === null)) return
    return Object.fromEntries(
      rows.map(({ token, ...row }: { token: { symbol: string } }) => [token.symbol, row]),
    ) as Record<string, Record<string, string>>
  })
}

/** The swap of each solution is left out. */
const internal = (order: SentOrder, paid: bigint, pool: Address) => ({
  interactions: [
    {
      kind: 'liquidity',
      internalize: true,
      id: pool,
      inputToken: order.sellToken,
      outputToken: order.buyToken,
      inputAmount: order.sellAmount,
      outputAmount: paid.toString(),
    },
  ],
})

test('protocol fees stay in the contract, and what it got is booked to the atom', async () => {
  engine.behaves(bidding())
  const before = await held('USDC')
  const uid = await place()
  await filled(uid)
  const { USDC, WETH } = await bookings(uid)
  const change = (await held('USDC')) - before
  expect(USDC).toMatchObject({ networkFee: '0', internalized: '0', change: String(change), slippage: '0' })
  expect(change).toBeGreaterThan(25n * dollar)
  expect(USDC?.least).toBe(USDC?.protocolFee)
  // Token by token: what came in went out again.
  expect(WETH).toBeUndefined()
})

test('a solution that takes the protocol fee is refused', async () => {
  const taking = ({ buyToken }: SentOrder, paid: bigint) => {
    const callData = erc20.encodeFunctionData('transfer', [solver, paid / 100n])
    return { postInteractions: [{ target: buyToken, value: '0', callData }] }
  }
  engine.behaves(bidding({ more: taking }))
  const before = await held('USDC')
  const uid = await place()
  await noticeOf('simulationFailed', /balance/)
  expect((await trader().order(uid)).status).toBe('open')
  expect(await held('USDC')).toBe(before)
  await cancel(uid)
})

test('a solution that calls the guard contract is refused', async () => {
  const guard = chain.market.network.balanceGuard
  const calling = () => ({ preInteractions: [{ target: guard, value: '0', callData: '0x' }] })
  engine.behaves(bidding({ more: calling }))
  const uid = await place()
  await noticeOf('driverError', new RegExp(`may not call ${guard}`))
  expect((await trader().order(uid)).status).toBe('open')
  await cancel(uid)
})

test('a swap may be left out within its limits: the contract pays, and its solver is told how much it may', async () => {
  engine.behaves(bidding({ more: internal }))
  const [dollars, coins] = [await held('USDC'), await held('WETH')]
  const uid = await place()
  await filled(uid)
  const { USDC = {}, WETH } = await bookings(uid)
  const paid = -BigInt(USDC.internalized ?? 0)
  expect(paid).toBeGreaterThan(2_500n * dollar)
  expect(USDC).toMatchObject({ change: String(BigInt(USDC.protocolFee ?? 0) - paid) })
  expect(USDC.slippage).toBe(String(-paid))
  expect(WETH).toMatchObject({ internalized: String(coin), change: String(coin), slippage: String(coin) })
  expect(await held('USDC')).toBe(dollars + BigInt(USDC.change ?? 0))
  expect(await held('WETH')).toBe(coins + coin)
  const sent = engine.asked.findLast(({ path }) => path === '/solve')?.body as SentAuction
  expect(sent.tokens[chain.market.tokens.USDC.address]).toMatchObject({
    trusted: true,
    availableBalance: String(limits.perSettlement),
  })
  expect(sent.tokens[chain.market.tokens.DAI.address]?.trusted ?? false).toBe(false)
})

test.each<[string, Partial<OrderWish>, RegExp]>([
  ['a token that is not permitted', { sell: 'DAI', buy: 'WETH', sellAmount: 100n * coin }, /may not be/],
  ['more than one settlement may', { sellAmount: 3n * coin }, /above the limit/],
])('%s is not left out', async (_, wish, words) => {
  engine.behaves(bidding({ more: internal }))
  const uid = await place(wish)
  await noticeOf('nonBufferableTokensUsed', words)
  expect((await trader().order(uid)).status).toBe('open')
  await cancel(uid)
})

test('what a day permits is used up', async () => {
  engine.behaves(bidding({ more: internal }))
  const first = await place({ sellAmount: (coin * 3n) / 2n })
  await filled(first)
  const sentBefore = engine.asked.length
  const second = await place()
  await eventually('it may use less', () =>
    engine.asked.slice(sentBefore).some(({ path, body }) => {
      const sent = path === '/solve' ? (body as SentAuction) : undefined
      const available = sent?.tokens[chain.market.tokens.USDC.address]?.availableBalance
      return available !== undefined && BigInt(available) < 2_000n * dollar
    }),
  )
  await noticeOf('nonBufferableTokensUsed', /above the limit/)
  expect((await trader().order(second)).status).toBe('open')
  await cancel(second)
})

test('what could not have been traded is not left out', async () => {
  const impossible = ({ sellToken, sellAmount, buyToken }: SentOrder) => ({
    interactions: [
      {
        kind: 'custom',
        internalize: true,
        target: sellToken,
        value: '0',
        // A transfer of more than there is.
        callData: erc20.encodeFunctionData('transfer', [solver, 10n ** 30n]),
        inputs: [{ token: sellToken, amount: sellAmount }],
        outputs: [{ token: buyToken, amount: '1000000' }],
      },
    ],
    prices: { [sellToken]: '1000000', [buyToken]: sellAmount },
  })
  engine.behaves(bidding({ more: impossible }))
  const uid = await place()
  await noticeOf('simulationFailed', /with the interactions that are left out: .*balance/)
  expect((await trader().order(uid)).status).toBe('open')
  await cancel(uid)
})
