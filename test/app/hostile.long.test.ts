import { inspect } from 'node:util'
import { Interface } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TokenSymbol } from '../../src/dev/market/market.ts'
import { startTestChain } from '../setup/chain.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import {
  type Balances,
  brokenTrades,
  expectedBalances,
  expectedOrder,
  keptBeyondFees,
  toldFees,
  toldOrder,
} from './hostile/checks.ts'
import { createCrowd } from './hostile/crowd.ts'
import { firstReasons, readPools, wrongDiagnoses } from './hostile/diagnoses.ts'
import { tally, untilExplained } from './hostile/endings.ts'
import { type Ledger, readLedger } from './hostile/ledger.ts'
import { startProcesses } from './hostile/processes.ts'
import { createService, type Placed } from './hostile/service.ts'
import { headOf, live, type World } from './hostile/story.ts'

/** `HOSTILE_ORDERS=500` is the long run, with its figures; `HOSTILE_SEED` varies it. */
const count = Number(process.env.HOSTILE_ORDERS ?? 50)
const isLong = process.env.HOSTILE_ORDERS !== undefined
const plan = {
  count,
  seed: Number(process.env.HOSTILE_SEED ?? 1),
  pauseMs: isLong ? 1_000 : 400,
  kills: isLong ? 20 : 3,
  depths: isLong ? [1, 2, 3, 5, 8, 13, 21, 34, 55, 64, 64] : [1, 3, 12],
}
const feePolicies =
  '[{"kind":"surplus","factor":0.5,"maxVolumeFactor":0.01},{"kind":"volume","factor":0.0002}]'

let database: TestDatabase
let world: World

beforeAll(async () => {
  const [chain, created] = await Promise.all([startTestChain(), createTestDatabase()])
  database = created
  const crowd = createCrowd(chain)
  await crowd.prepare()
  const firstBlock = (await headOf(chain)) + 1
  const processes = await startProcesses(chain, database, { FEE_POLICIES: feePolicies })
  const service = createService(processes.url, chain.market, crowd)
  world = { chain, crowd, processes, service, firstBlock }
})
afterAll(async () => {
  await world?.processes[Symbol.asyncDispose]()
  await world?.chain[Symbol.asyncDispose]()
  await database?.[Symbol.asyncDispose]()
})

const factoryAbi = new Interface(['function getPair(address, address) view returns (address)'])

/** By the factory, not by what the program follows. */
async function poolsOf({ rpc, market: { tokens, network } }: World['chain']): Promise<string[]> {
  const addresses = Object.values(tokens).map(({ address }) => address)
  const pairs = addresses.flatMap((a, index) => addresses.slice(index + 1).map((b) => [a, b] as const))
  const found = await Promise.all(
    pairs.map(async (pair) => {
      const call = { to: network.poolFactory, data: factoryAbi.encodeFunctionData('getPair', pair) }
      return `0x${(await rpc.call<string>('eth_call', [call, 'latest'])).slice(-40)}`
    }),
  )
  return found.filter((pool) => BigInt(pool) > 0n)
}

async function balancesOf({ crowd, chain: { market } }: World, accounts: readonly string[]) {
  const rows = Object.entries(market.tokens).map(async ([symbol, { address: token }]) => {
    const held = accounts.map(async (at) => [at, await crowd.balanceOf(symbol as TokenSymbol, at)] as const)
    return [token, new Map(await Promise.all(held))] as const
  })
  return new Map(await Promise.all(rows))
}

const coinsOf = async ({ rpc }: World['chain'], at: string) =>
  BigInt(await rpc.call<string>('eth_getBalance', [at, 'latest']))

/** The service tells of each order what the chain holds. */
async function expectToldAsOnChain(orders: readonly Placed[], ledger: Ledger): Promise<void> {
  const now = Math.floor(Date.now() / 1_000)
  const expected = orders.map((order) => expectedOrder(order, ledger, now))
  const told = async () => {
    const rows: unknown[] = []
    for (const order of orders) rows.push(await toldOrder(order, world.service))
    return rows
  }
  const isSame = async () => JSON.stringify(await told()) === JSON.stringify(expected)
  await eventually('the service tells what the chain holds', isSame).catch(() => undefined)
  expect(await told()).toEqual(expected)
}

/** Each says what was made of its order. @returns how often each reason is the first */
async function expectRightDiagnoses(orders: readonly Placed[]): Promise<Record<string, number>> {
  const addresses = await poolsOf(world.chain)
  let wrong = ['nothing was read']
  const areRight = async () => {
    const [ledger, pools] = [
      await readLedger(world.chain, world.firstBlock),
      await readPools(world.chain, addresses),
    ]
    wrong = await wrongDiagnoses(orders, ledger, pools, world)
    return wrong.length === 0
  }
  // What an auction has not seen yet is told with one of the next.
  const areRead = () =>
    areRight().catch((fault) => {
      wrong = [String(fault)]
      return false
    })
  await eventually('all diagnoses are right', areRead, 90_000).catch(() => undefined)
  expect(wrong).toEqual([])
  return tally(await firstReasons(orders, world))
}

/** Nothing comes from nowhere, and nothing goes to an account that nobody has named. */
function expectConserved(before: Balances, after: Balances, unwrapped: bigint): void {
  const sums = (balances: Balances) =>
    [...balances].map(([token, held]) => [token, [...held.values()].reduce((sum, value) => sum + value, 0n)])
  const wrapped = after.get(world.chain.market.network.wrappedNative)
  wrapped?.set('unwrapped', unwrapped)
  expect(sums(after)).toEqual(sums(before))
}

test(`${count} orders of ten traders, some hostile, with kills and reorgs: no order and no atom is unexplained`, async () => {
  const { chain, crowd, service } = world
  const { network, accounts, solver } = chain.market
  const traders = [
    ...crowd.traders.map(({ address }) => address.toLowerCase()),
    ...Object.values(crowd.wallets),
    crowd.aside,
    ...accounts.map(({ address }) => address),
    solver.address,
  ]
  const everybody = [...traders, ...(await poolsOf(chain)), network.settlement, network.vaultRelayer]
  const [before, coins] = [await balancesOf(world, everybody), await coinsOf(chain, crowd.aside)]
  // What somebody sends to the contract is not for those who trade.
  await crowd.move('USDC', crowd.traders[9]?.address ?? '', network.settlement, 12_345_678n)

  const { orders, refused } = await live(world, plan)
  const ends = await untilExplained(orders, world, isLong ? 400_000 : 90_000)
  const reasons = await expectRightDiagnoses(orders)
  expect(world.processes.crashed).toEqual([])
  await chain.rpc.call('evm_setIntervalMining', [0])
  const ledger = await readLedger(chain, world.firstBlock)
  await expectToldAsOnChain(orders, ledger)
  expect(brokenTrades(orders, ledger)).toEqual([])

  const after = await balancesOf(world, everybody)
  const ofTraders = [...after].map(
    ([token, held]) => [token, new Map(traders.map((at) => [at, held.get(at)]))] as const,
  )
  expect(new Map(ofTraders)).toEqual(expectedBalances(before, traders, orders, ledger))
  expect((await coinsOf(chain, crowd.aside)) - coins).toBe(ledger.unwrapped)
  expectConserved(before, after, ledger.unwrapped)

  const told = await toldFees(ledger, service, network.wrappedNative)
  expect(told.missing).toEqual([])
  const kept = keptBeyondFees({ before, after }, ledger, told, network.settlement)
  const beyond = kept.filter(({ difference, bound }) => difference > bound || difference < -bound)
  expect(beyond).toEqual([])
  expect(ends.fulfilled).toBeGreaterThan(count / 4)
  const { trades, settlements } = ledger
  const figures = {
    ends,
    reasons,
    refused: tally(refused),
    trades: trades.length,
    settlements: settlements.size,
    kept,
  }
  if (isLong) process.stdout.write(`${inspect(figures, { depth: 3 })}\n`)
}, 1_200_000)
