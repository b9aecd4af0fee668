import { Interface } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allowSolvers } from '../../src/dev/market/market.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import { findRequest } from '../../src/storage/auction/solver-messages.ts'
import { sql } from '../../src/storage/database/database.ts'
import { bidding, type SentAuction, type SentOrder } from '../fakes/auction-engine.ts'
import {
  type Behaviour,
  hanging,
  huge,
  type SolverEngineFake,
  startSolverEngine,
} from '../fakes/solver-engine.ts'
import { startTestChain, type TestChain } from '../setup/chain.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { createTrader, type OrderWish, request } from '../setup/trader.ts'
import { startProgram, unlimited } from '../setup/world.ts'

const coin = 10n ** 18n
const dollar = 10n ** 6n
/** Longer than it takes to settle an order. */
const solveMs = 8_000
const erc20 = new Interface([
  'function mint(address to, uint256 value)',
  'function transfer(address to, uint256 value)',
  'function approve(address spender, uint256 value)',
  'function balanceOf(address) view returns (uint256)',
])

let chain: TestChain
let database: TestDatabase
let app: Awaited<ReturnType<typeof startProgram>>
let engines: Record<string, SolverEngineFake>
let accounts: Record<string, Address>

const bids: Record<string, () => Behaviour> = {
  good: () => bidding(),
  /** Promises more than its swap pays. The contract has enough of it. */
  liar: () => bidding({ times: 1_010n }),
  /** Pays as promised, and takes what the contract has. */
  drain: () => bidding({ times: 1_001n, more: taking }),
  hangs: () => hanging,
  floods: () => huge(50_000_000),
}

beforeAll(async () => {
  ;[database, chain] = await Promise.all([createTestDatabase(), startTestChain()])
  const { market, rpc } = chain
  const { network, tokens, outsideSolvers } = market
  await allowSolvers(rpc, outsideSolvers)
  // What fees have left in the settlement contract.
  const [trader] = market.accounts
  for (const [symbol, amount] of [
    ['USDC', 50_000n * dollar],
    ['DAI', 50_000n * coin],
    ['COW', 50_000n * coin],
    ['WETH', 10n * coin],
  ] as const) {
    const data = erc20.encodeFunctionData('transfer', [network.settlement, amount])
    await rpc.call('eth_sendTransaction', [{ from: trader?.address, to: tokens[symbol].address, data }])
  }
  await rpc.call('evm_mine')
  const names = Object.keys(bids)
  const started = await Promise.all(names.map((name) => startSolverEngine(bids[name]?.())))
  engines = Object.fromEntries(names.map((name, index) => [name, started[index] as SolverEngineFake]))
  accounts = Object.fromEntries(names.map((name, index) => [name, outsideSolvers[index]?.address as Address]))
  const environment = {
    ...unlimited,
    SOLVER_PRIVATE_KEY: market.solver.privateKey,
    FEE_POLICIES: '[{"kind":"volume","factor":0.001}]',
    AUCTION_SOLVE_MS: String(solveMs),
    SOLVERS: JSON.stringify(
      names.map((name, index) => ({
        kind: 'engine',
        name,
        url: engines[name]?.url,
        privateKey: outsideSolvers[index]?.privateKey,
      })),
    ),
  }
  app = await startProgram({ database, chain }, environment, { roles: ['serve', 'index', 'auction'] })
})
afterAll(async () => {
  await app?.close()
  await Promise.all(Object.values(engines ?? {}).map((engine) => engine.close()))
  await chain?.[Symbol.asyncDispose]()
  await database?.[Symbol.asyncDispose]()
})

/** A solution that also sends the contract's bought tokens to the solver. */
function taking({ buyToken }: SentOrder): object {
  const callData = erc20.encodeFunctionData('transfer', [accounts.drain, 1_000n * dollar])
  return { postInteractions: [{ target: buyToken, value: '0', callData }] }
}

const trader = (account = 0) => createTrader(app.url ?? '', chain.market, account)

async function place(wish: Partial<OrderWish>, account = 0): Promise<string> {
  const swap = { sell: 'WETH', buy: 'USDC', sellAmount: coin, buyAmount: 1n } as const
  const { status, body } = await trader(account).place({ ...swap, ...wish })
  expect({ status, body }).toEqual({ status: 201, body: expect.any(String) })
  return body
}

const isFilled = async (uid: string) => (await trader().order(uid)).status === 'fulfilled'

async function buffers(): Promise<Record<string, bigint>> {
  const { network, tokens } = chain.market
  const entries = await Promise.all(
    Object.entries(tokens).map(async ([symbol, { address: to }]) => {
      const data = erc20.encodeFunctionData('balanceOf', [network.settlement])
      return [symbol, BigInt(await chain.rpc.call<string>('eth_call', [{ to, data }, 'latest']))] as const
    }),
  )
  return Object.fromEntries(entries)
}

const base = () => `${app.url}/${chain.market.network.name}`
const latest = async () => (await fetch(`${base()}/api/v2/solver_competition/latest`)).json()
const noticesOf = (name: string) =>
  (engines[name]?.asked ?? [])
    .filter(({ path }) => path === '/notify')
    .map(({ body }) => body as { kind: string })
const kindsOf = (name: string) => new Set(noticesOf(name).map(({ kind }) => kind))

const pairs = [
  { sell: 'WETH', buy: 'USDC' },
  { sell: 'WETH', buy: 'DAI' },
  { sell: 'WETH', buy: 'COW' },
  { sell: 'DAI', buy: 'WETH', sellAmount: 2_000n * coin },
] as const

test('a good engine wins, and those that lie, drain, hang or flood settle nothing', async () => {
  const before = await buffers()
  const winners = new Set<string>()
  for (let round = 0; round < 5; round++) {
    const uids = await Promise.all(pairs.map((wish, index) => place({ ...wish }, index)))
    await eventually('the orders are filled', async () =>
      (await Promise.all(uids.map(isFilled))).every(Boolean),
    )
    const { solutions } = await latest()
    for (const one of solutions) if (one.isWinner) winners.add(one.solverAddress)
  }
  expect([...winners]).toContain(accounts.good)
  for (const bad of ['liar', 'drain', 'hangs', 'floods']) expect([...winners]).not.toContain(accounts[bad])
  const after = await buffers()
  for (const [symbol, amount] of Object.entries(before)) expect(after[symbol]).toBeGreaterThanOrEqual(amount)
  await eventually('each was notified', () =>
    [
      kindsOf('good').has('success'),
      kindsOf('liar').has('simulationFailed'),
      kindsOf('drain').has('simulationFailed'),
    ].every(Boolean),
  )
  expect([...kindsOf('good')]).toEqual(expect.arrayContaining(['settlementStarted', 'success']))
  expect([...kindsOf('liar')]).not.toContain('settlementStarted')
  expect([...kindsOf('drain')]).not.toContain('settlementStarted')
  expect(kindsOf('floods')).toEqual(new Set(['deserializationError']))
})

test('every settlement, of whichever solver, left what it had to leave in the contract', async () => {
  const rows = await eventually('each is read', async () => {
    const settled = await sql(database.db).settlementAttempt.findMany({ where: { outcome: 'success' } })
    const bookings = await Promise.all(
      settled.map(({ auctionId, solutionUid }) =>
        sql(database.db).settlementBooking.findMany({ where: { auctionId, solutionUid } }),
      ),
    )
    const all = bookings.flat()
    return all.length > 0 && all.every(({ change }) => change !== null) && all
  })
  expect(rows.filter(({ change, least }) => change?.lessThan(least))).toEqual([])
  expect(rows.some(({ protocolFee }) => protocolFee.greaterThan(0))).toBe(true)
})

test('refusals can be read later, and what engines were sent can be replayed', async () => {
  const read = await fetch(`${base()}/api/v1/solver_notices/${accounts.drain}`)
  const notices: { kind: string; reason: string; auctionId: number }[] = await read.json()
  expect(notices).toContainEqual(
    expect.objectContaining({
      kind: 'simulationFailed',
      reason: expect.stringMatching(/balance|exceeds|transfer/i),
    }),
  )
  const sent = (engines.good?.asked ?? []).filter(({ path }) => path === '/solve').at(-1)?.body as SentAuction
  const text = await findRequest(database.db, BigInt(sent.id ?? 0))
  expect(JSON.parse(text ?? '')).toEqual(sent)
})

test('one that hangs makes no auction slower', async () => {
  expect(engines.hangs?.asked.length).toBeGreaterThan(0)
  const { body } = await request(`${base()}/api/v1/solver_notices/${accounts.hangs}`)
  expect(body.map(({ kind }: { kind: string }) => kind)).toEqual(body.map(() => 'timeout'))
  const started = performance.now()
  const uid = await place({ sell: 'COW', buy: 'WETH', sellAmount: 100n * coin })
  await eventually('it is traded', async () => (await trader().order(uid)).status === 'fulfilled')
  // Less than engines have: the auction did not wait for it.
  expect(performance.now() - started).toBeLessThan(solveMs)
})
