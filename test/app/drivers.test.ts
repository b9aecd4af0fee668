import { afterAll, beforeAll, expect, test } from 'vitest'
import { encodeSettle } from '../../src/chain/settlement/call.ts'
import { hanging, huge } from '../fakes/solver-engine.ts'
import { type DriverWorld, startDriverWorld } from '../setup/drivers.ts'
import { eventually } from '../setup/eventually.ts'

const coin = 10n ** 18n
/** Longer than it takes to settle an order. */
const solveMs = 8_000

let world: DriverWorld
beforeAll(async () => {
  const empty = encodeSettle({
    tokens: [],
    clearingPrices: [],
    trades: [],
    interactions: [[], [], []],
    auctionId: 1n,
  })
  world = await startDriverWorld(
    {
      good: {},
      /** Claims more than its settlement pays. */
      liar: { claims: 1_010n },
      /** Reveals what is not what it claims. */
      other: { claims: 1_005n, reveals: () => empty },
      /** Pays what it claims, with what the contract has. */
      drain: { pays: 1_010n },
    },
    { hangs: hanging, floods: huge(50_000_000) },
    { AUCTION_SOLVE_MS: String(solveMs) },
  )
  await world.start()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const pairs = [
  { sell: 'WETH', buy: 'USDC' },
  { sell: 'WETH', buy: 'DAI' },
  { sell: 'DAI', buy: 'WETH', sellAmount: 2_000n * coin },
] as const

const bad = ['liar', 'other', 'drain', 'hangs', 'floods']

test('a good driver wins, and those that lie, drain, hang or flood settle nothing', async () => {
  const before = await world.buffers()
  const winners = new Set<string>()
  for (let round = 0; round < 3; round++) {
    const uids = await Promise.all(pairs.map((wish, index) => world.place(wish, index)))
    await eventually('the orders are filled', async () =>
      (await Promise.all(uids.map(world.isFilled))).every(Boolean),
    )
    const { solutions } = (await world.get('/api/v2/solver_competition/latest')) as {
      solutions: { isWinner: boolean; solverAddress: string; txHash: string }[]
    }
    for (const one of solutions) if (one.isWinner) winners.add(one.solverAddress)
    expect(world.drivers.good?.sent).toContain(solutions.find(({ isWinner }) => isWinner)?.txHash)
  }
  expect([...winners]).toEqual([world.accounts.good])
  for (const name of bad) expect(world.drivers[name]?.sent ?? []).toEqual([])
  expect(await world.buffers()).toEqual(before)
})

test('each was told why, and can read it later', async () => {
  const kinds = async (name: string) => new Set((await world.noticesOf(name)).map(({ kind }) => kind))
  expect([...(await kinds('good'))]).toEqual(expect.arrayContaining(['settlementStarted', 'success']))
  expect(await kinds('liar')).toEqual(new Set(['invalidExecutedAmount']))
  expect(await kinds('floods')).toEqual(new Set(['deserializationError']))
  expect(await world.noticesOf('other')).toContainEqual(
    expect.objectContaining({
      kind: 'driverError',
      reason: expect.stringContaining('the revealed calldata'),
    }),
  )
  expect(await world.noticesOf('drain')).toContainEqual(
    expect.objectContaining({
      kind: 'simulationFailed',
      reason: expect.stringContaining('less of 0x'),
    }),
  )
  const told = world.drivers.drain?.asked.filter(({ path }) => path === '/notify').map(({ body }) => body)
  expect(told).toContainEqual(
    expect.objectContaining({ kind: 'simulationFailed', solutionId: expect.any(Number) }),
  )
})

test('one that hangs makes no auction slower', async () => {
  expect(world.others.hangs?.asked.length).toBeGreaterThan(0)
  const started = performance.now()
  const uid = await world.place({ sell: 'COW', buy: 'WETH', sellAmount: 100n * coin })
  await eventually('it is filled', () => world.isFilled(uid))
  // Less than drivers have: the auction did not wait for it.
  expect(performance.now() - started).toBeLessThan(solveMs)
})
