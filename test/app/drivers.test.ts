import { Interface } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Account } from '../../src/dev/accounts.ts'
import { allowSolvers } from '../../src/dev/market/outside-solvers.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import { type DriverWays, type SolverDriverFake, startSolverDriver } from '../fakes/solver-driver.ts'
import { hanging, huge, type SolverEngineFake, startSolverEngine } from '../fakes/solver-engine.ts'
import { startTestChain, type TestChain } from '../setup/chain.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { createTrader, type OrderWish } from '../setup/trader.ts'
import { startProgram, unlimited } from '../setup/world.ts'

const coin = 10n ** 18n
const dollar = 10n ** 6n
const solveMs = 4_000
const erc20 = new Interface([
  'function transfer(address to, uint256 value)',
  'function balanceOf(address) view returns (uint256)',
])

let chain: TestChain
let database: TestDatabase
let app: Awaited<ReturnType<typeof startProgram>>
let drivers: Record<string, SolverDriverFake>
let silent: Record<string, SolverEngineFake>
let accounts: Record<string, Address>

const ways: Record<string, DriverWays> = {
  good: {},
  /** Claims more than its settlement pays. */
  liar: { claims: 1_010n },
  /** Pays what it claims, with what the contract has. */
  drain: { pays: 1_010n },
}

beforeAll(async () => {
  ;[database, chain] = await Promise.all([createTestDatabase(), startTestChain()])
  const { market, rpc, rpcUrl } = chain
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
  const names = Object.keys(ways)
  const account = (index: number) => outsideSolvers[index] as Account
  const started = await Promise.all(
    names.map((name, index) => startSolverDriver({ rpcUrl, network, account: account(index) }, ways[name])),
  )
  drivers = Object.fromEntries(names.map((name, index) => [name, started[index] as SolverDriverFake]))
  silent = { hangs: await startSolverEngine(hanging), floods: await startSolverEngine(huge(50_000_000)) }
  const all = Object.entries({ ...drivers, ...silent })
  accounts = Object.fromEntries(all.map(([name], index) => [name, account(index).address]))
  const environment = {
    ...unlimited,
    AUCTION_SOLVE_MS: String(solveMs),
    AUCTION_DEADLINE_BLOCKS: '5',
    SOLVERS: JSON.stringify(
      all.map(([name, { url }]) => ({ kind: 'driver', name, url, address: accounts[name] })),
    ),
  }
  app = await startProgram({ database, chain }, environment, { roles: ['serve', 'index', 'auction'] })
})
afterAll(async () => {
  await app?.close()
  await Promise.all(
    [...Object.values(drivers ?? {}), ...Object.values(silent ?? {})].map((one) => one.close()),
  )
  await chain?.[Symbol.asyncDispose]()
  await database?.[Symbol.asyncDispose]()
})

const trader = (account = 0) => createTrader(app.url ?? '', chain.market, account)

async function place(wish: Partial<OrderWish>, account = 0): Promise<string> {
  const swap = { sell: 'WETH', buy: 'USDC', sellAmount: coin, buyAmount: 1n } as const
  const { status, body } = await trader(account).place({ ...swap, ...wish })
  expect({ status, body }).toEqual({ status: 201, body: expect.any(String) })
  return body
}

const base = () => `${app.url}/${chain.market.network.name}`
const isFilled = async (uid: string) => (await trader().order(uid)).status === 'fulfilled'

test('a good driver wins, and its order is filled', async () => {
  const uid = await place({})
  await eventually('it is filled', () => isFilled(uid))
  const [sent] = drivers.good?.sent ?? []
  const { solutions } = await (await fetch(`${base()}/api/v2/solver_competition/latest`)).json()
  expect(solutions.at(-1)).toMatchObject({ isWinner: true, txHash: sent, solverAddress: accounts.good })
})
