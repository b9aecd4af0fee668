import { Interface } from 'ethers'
import { expect } from 'vitest'
import { type Account, allowSolvers } from '../../src/dev/market/market.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import { type DriverWays, type SolverDriverFake, startSolverDriver } from '../fakes/solver-driver.ts'
import { type Behaviour, type SolverEngineFake, startSolverEngine } from '../fakes/solver-engine.ts'
import { startTestChain, type TestChain } from './chain.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { type Answer, createTrader, graphql, type OrderWish } from './trader.ts'
import { startProgram, unlimited } from './world.ts'

const coin = 10n ** 18n
const dollar = 10n ** 6n
const erc20 = new Interface([
  'function transfer(address to, uint256 value)',
  'function balanceOf(address) view returns (uint256)',
])

export interface DriverWorld extends AsyncDisposable {
  chain: TestChain
  database: TestDatabase
  drivers: Record<string, SolverDriverFake>
  /** Servers that are no drivers. */
  others: Record<string, SolverEngineFake>
  accounts: Record<string, Address>
  /** With the drivers as its only solvers. */
  start(): Promise<void>
  stop(): Promise<void>
  /** Sells a coin, unless the wish says otherwise. @returns the UID */
  place(wish?: Partial<OrderWish>, account?: number): Promise<string>
  isFilled(uid: string): Promise<boolean>
  /** What the settlement contract has, by symbol. */
  buffers(): Promise<Record<string, bigint>>
  get(path: string): Promise<unknown>
  graphql(query: string): ReturnType<typeof graphql>
  /** Of account 0. */
  cancel(uid: string): Promise<Answer>
  noticesOf(name: string): Promise<{ kind: string; reason: string; auctionId: number }[]>
}

/** A chain whose settlement contract has fees of before, and drivers with accounts on its allow-list. */
export async function startDriverWorld(
  ways: Record<string, DriverWays>,
  behaviours: Record<string, Behaviour>,
  environment: Record<string, string>,
): Promise<DriverWorld> {
  const [database, chain] = await Promise.all([createTestDatabase(), startTestChain()])
  const { market, rpc, rpcUrl } = chain
  const { network, tokens, outsideSolvers } = market
  await allowSolvers(rpc, outsideSolvers)
  await fillBuffers(chain)
  const accountOf = (index: number) => outsideSolvers[index] as Account
  const names = [...Object.keys(ways), ...Object.keys(behaviours)]
  const accounts = Object.fromEntries(names.map((name, index) => [name, accountOf(index).address]))
  const drivers: Record<string, SolverDriverFake> = {}
  for (const [index, [name, way]] of Object.entries(ways).entries())
    drivers[name] = await startSolverDriver({ rpcUrl, network, account: accountOf(index) }, way)
  const others: Record<string, SolverEngineFake> = {}
  for (const [name, behaviour] of Object.entries(behaviours))
    others[name] = await startSolverEngine(behaviour)
  const sources = Object.entries({ ...drivers, ...others }).map(([name, { url }]) => ({
    kind: 'driver',
    name,
    url,
    address: accounts[name],
  }))
  let app: Awaited<ReturnType<typeof startProgram>> | undefined
  const get = async (path: string) => (await fetch(`${app?.url}/${network.name}${path}`)).json()
  const trader = (account: number) => createTrader(app?.url ?? '', market, account)

  return {
    chain,
    database,
    drivers,
    others,
    accounts,
    get,
    async start() {
      const settings = { ...unlimited, SOLVERS: JSON.stringify(sources), ...environment }
      app = await startProgram({ database, chain }, settings, { roles: ['serve', 'index', 'auction'] })
    },
    async stop() {
      await app?.close()
      app = undefined
    },
    async place(wish = {}, account = 0) {
      const swap = { sell: 'WETH', buy: 'USDC', sellAmount: coin, buyAmount: 1n } as const
      const { status, body } = await trader(account).place({ ...swap, ...wish })
      expect({ status, body }).toEqual({ status: 201, body: expect.any(String) })
      return body
    },
    graphql: (query) => graphql(app?.url ?? '', query),
    cancel: (uid) => trader(0).cancel([uid]),
    isFilled: async (uid) => (await trader(0).order(uid)).status === 'fulfilled',
    async buffers() {
      const entries = await Promise.all(
        Object.entries(tokens).map(async ([symbol, { address: to }]) => {
          const data = erc20.encodeFunctionData('balanceOf', [network.settlement])
          return [symbol, BigInt(await rpc.call<string>('eth_call', [{ to, data }, 'latest']))] as const
        }),
      )
      return Object.fromEntries(entries)
    },
    noticesOf: async (name) => (await get(`/api/v1/solver_notices/${accounts[name]}`)) as [],
    async [Symbol.asyncDispose]() {
      await app?.close()
      await Promise.all(Object.values({ ...drivers, ...others }).map((server) => server.close()))
      await chain[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

export async function fillBuffers({ rpc, market: { network, tokens, accounts } }: TestChain): Promise<void> {
  for (const [symbol, amount] of [
    ['USDC', 50_000n * dollar],
    ['DAI', 50_000n * coin],
    ['COW', 50_000n * coin],
    ['WETH', 10n * coin],
  ] as const) {
    const data = erc20.encodeFunctionData('transfer', [network.settlement, amount])
    await rpc.call('eth_sendTransaction', [{ from: accounts[0]?.address, to: tokens[symbol].address, data }])
  }
  await rpc.call('evm_mine')
}
