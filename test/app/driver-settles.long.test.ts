import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { encodeSettle } from '../../src/chain/settlement/call.ts'
import type { Hex } from '../../src/domain/evm/hex.ts'
import { transferCall } from '../../src/domain/settlement/calldata.ts'
import type { SolverDriverFake } from '../fakes/solver-driver.ts'
import { connectDirectly } from '../setup/database.ts'
import { type DriverWorld, startDriverWorld } from '../setup/drivers.ts'
import { eventually } from '../setup/eventually.ts'

const dollar = 10n ** 6n

let world: DriverWorld
let driver: SolverDriverFake
beforeAll(async () => {
  world = await startDriverWorld({ driver: {} }, {}, { AUCTION_DEADLINE_BLOCKS: '20' })
  driver = world.drivers.driver as SolverDriverFake
  await world.start()
})
beforeEach(() => driver.goes({}))
afterAll(() => world?.[Symbol.asyncDispose]())

interface Attempt {
  auctionId: number
  /** None while it runs. */
  outcome?: string | undefined
}

async function attemptsOf(uid: string): Promise<Attempt[]> {
  const report = (await world.get(`/api/v1/debug/order/${uid}`)) as {
    auctions: { id: number; settlementAttempts: Attempt[] }[]
  }
  return report.auctions.flatMap(({ id, settlementAttempts }) =>
    settlementAttempts.map(({ outcome }) => ({ auctionId: id, outcome })),
  )
}
const transactions = async (uid: string) =>
  ((await world.get(`/api/v2/trades?orderUid=${uid}`)) as { txHash: string }[]).map(({ txHash }) => txHash)
const toldToSettle = () => driver.asked.filter(({ path }) => path === '/settle').length
const head = async () => Number(await world.chain.rpc.call<Hex>('eth_blockNumber'))
const mine = (blocks: number) => world.chain.rpc.call('anvil_mine', [`0x${blocks.toString(16)}`])
const kinds = async () => (await world.noticesOf('driver')).map(({ kind, reason }) => ({ kind, reason }))

test('one that says why it does not settle frees the order at once', async () => {
  driver.goes({ refuses: 'no gas' })
  const uid = await world.place()
  await eventually('it refuses', async () =>
    (await attemptsOf(uid)).some(({ outcome }) => outcome !== undefined),
  )
  driver.goes({})
  await eventually('it is filled', () => world.isFilled(uid))
  const attempts = await attemptsOf(uid)
  expect(attempts[0]?.outcome).toBe('driver failed: FailedToSubmit: no gas')
  expect(attempts.at(-1)?.outcome).toBe('success')
  expect(await transactions(uid)).toEqual([driver.sent.at(-1)])
  expect(await kinds()).toContainEqual({ kind: 'fail', reason: 'FailedToSubmit: no gas' })
})

test('one that never settles loses the order at the deadline, and another auction has it', async () => {
  const before = toldToSettle()
  driver.goes({ submits: () => undefined })
  const uid = await world.place()
  await eventually('it is told to settle', () => toldToSettle() > before)
  const [running] = await attemptsOf(uid)
  expect(running).toEqual({ auctionId: expect.any(Number) })
  // Meanwhile the order is in no auction.
  await mine(3)
  expect(await attemptsOf(uid)).toHaveLength(1)
  driver.goes({})
  await mine(20)
  await eventually('it is filled', () => world.isFilled(uid))
  const attempts = await attemptsOf(uid)
  expect(attempts.map(({ outcome }) => outcome)).toEqual(['timeout', 'success'])
  expect(await kinds()).toContainEqual({
    kind: 'expired',
    reason: 'the deadline passed before it was mined',
  })
})

test('what one may still settle is told to an owner who cancels', async () => {
  const before = toldToSettle()
  driver.goes({ submits: () => undefined })
  const uid = await world.place()
  await eventually('it is told to settle', () => toldToSettle() > before)
  const [running] = await attemptsOf(uid)
  const pending = async () =>
    (await world.graphql(`{ order(uid: "${uid}") { pendingSettlements { auctionId txHash } } }`)).order
      .pendingSettlements
  expect(await pending()).toEqual([{ auctionId: running?.auctionId, txHash: null }])
  const { status, headers } = await world.cancel(uid)
  expect([status, headers.get('x-pending-settlements')]).toEqual([200, `auction-${running?.auctionId}`])
  await mine(20)
  await eventually('its time is over', async () => (await pending()).length === 0)
})

test('a settlement of a driver is followed across a restart of the service', async () => {
  const before = toldToSettle()
  let settlement: Hex | undefined
  driver.goes({
    submits: (calldata) => {
      settlement = calldata
      return undefined
    },
  })
  const uid = await world.place()
  await eventually('it is told to settle', () => toldToSettle() > before)
  await world.stop()
  await world.start()
  const attempts = await attemptsOf(uid)
  expect(attempts).toEqual([{ auctionId: expect.any(Number) }])
  expect(toldToSettle()).toBe(before + 1)
  await driver.submit(settlement as Hex)
  await eventually('it is filled', () => world.isFilled(uid))
  expect((await attemptsOf(uid)).map(({ outcome }) => outcome)).toEqual(['success'])
  expect(await transactions(uid)).toEqual([driver.sent.at(-1)])
  await eventually('it is told', async () =>
    (await world.noticesOf('driver')).some(
      ({ kind, auctionId }) => kind === 'success' && auctionId === attempts[0]?.auctionId,
    ),
  )
})

const take = (amount: bigint) => transferCall(world.chain.market.tokens.USDC.address, driver.address, amount)
const bans = async () => (await world.noticesOf('driver')).filter(({ kind }) => kind === 'banned')
const asked = () => driver.asked.filter(({ path }) => path === '/solve').length

test('one that takes tokens of the contract is told, and not asked for the longest time', async () => {
  const before = (await world.buffers()).USDC ?? 0n
  driver.goes({ submits: (_, { encode }) => encode([take(1_000n * dollar)]) })
  const uid = await world.place()
  const [ban] = await eventually('it is banned', async () => ((await bans()).length > 0 ? bans() : undefined))
  expect(ban?.reason).toContain(`settlement ${driver.sent.at(-1)} left less than it had to`)
  expect(await world.isFilled(uid)).toBe(true)
  expect((await world.buffers()).USDC).toBe(before - 1_000n * dollar)
  driver.goes({})
  await world.stop()
  await world.start()
  const times = asked()
  const next = await world.place({}, 1)
  const until = (await head()) + 4
  await eventually('some blocks passed', async () => (await head()) > until)
  expect(asked()).toBe(times)
  await mine(64)
  await eventually('it is filled', () => world.isFilled(next))
})

test('so is one that takes them with a settlement of no auction', async () => {
  const times = (await bans()).length
  const nothing = { tokens: [], clearingPrices: [], trades: [], auctionId: 0n }
  const hash = await driver.submit(
    encodeSettle({ ...nothing, interactions: [[], [take(500n * dollar)], []] }),
  )
  await eventually('it is banned', async () => (await bans()).length > times)
  expect((await bans())[0]?.reason).toContain(`settlement ${hash}, of no auction, took`)
  await using database = await connectDirectly(world.database.url)
  const { rows } = await database.query(
    'SELECT (until_block - block)::int AS blocks FROM solver_bans ORDER BY block',
  )
  expect(rows.map(({ blocks }) => blocks)).toEqual([64, 128])
})
