import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runAuction } from '../../src/auctions/run.ts'
import { trialPassed } from '../../src/auctions/settlement-calldata.ts'
import { decodeSettle } from '../../src/chain/settlement/call.ts'
import { toAppDataInput } from '../../src/domain/app-data/document.ts'
import type { Order } from '../../src/domain/order/order.ts'
import { storeAppData } from '../../src/storage/app-data.ts'
import { sql } from '../../src/storage/database/database.ts'
import { createAuctionServices, createSolver, propose, solverAddress } from '../fakes/auction-services.ts'
import { sampleNetwork } from '../fakes/network.ts'
import { numbered } from '../fakes/order.ts'
import { readEvents, storeOrder } from '../fakes/stored-order.ts'
import { readStory } from '../fakes/stories.ts'
import { connectDirectly, createTestDatabase, emptyTables, type TestDatabase } from '../setup/database.ts'

const unit = 10n ** 18n
const million = 10n ** 6n
const hook = { target: numbered('12'), value: 0n, callData: '0xab' as const }
const hooked = { pre: [hook], post: [] }

let database: TestDatabase
let client: Awaited<ReturnType<typeof connectDirectly>>
let fake: ReturnType<typeof createAuctionServices>
let owners = 0
beforeAll(async () => {
  database = await createTestDatabase()
  client = await connectDirectly(database.url)
})
beforeEach(async () => {
  await emptyTables(client)
  fake = createAuctionServices(database.db)
  fake.world.solvers = [createSolver(async (held) => (held.orders.length > 0 ? [propose(held)] : []))]
})
afterAll(async () => {
  await client.end()
  await database[Symbol.asyncDispose]()
})

const placeOrder = (overrides: Partial<Order> = {}) =>
  storeOrder(database.db, {
    owner: numbered((0x60 + (owners++ % 0x80)).toString(16)),
    buyAmount: 2_900n * million,
    ...overrides,
  })
const placeWalletOrder = (overrides: Partial<Order> = {}) =>
  placeOrder({ signingScheme: 'eip1271', signature: '0xc0de', ...overrides })

const never = new Promise<never>(() => undefined)
/** Holds an auction in a block after the deadline of every earlier attempt. */
async function auction(): Promise<void> {
  fake.world.block += 10
  await Promise.all(await runAuction(fake.services, 16, new AbortController().signal))
}
const nextAuction = () => {
  fake.world.block -= 9
  return auction()
}

const storyOf = (order: Order) => readStory(database.db, order)
const standingOf = async ({ id }: Order) =>
  (await sql(database.db).orderStanding.findUnique({ where: { orderId: id } }))?.reason
const eventsOf = (order: Order) => readEvents(database.db, order)

/** The outcomes of the order's settlement attempts; 'running' where there is none yet. */
async function settledWith(order: Order) {
  const { auctions } = await storyOf(order)
  return auctions.map(({ settlementAttempts }) => settlementAttempts[0]?.outcome ?? 'running')
}

const answersFrom = (owner: string, more: Partial<Awaited<ReturnType<typeof fake.world.check>>>) => {
  const { check } = fake.world
  fake.world.check = async (question) => ({
    ...(await check(question)),
    ...(question.owner === owner && more),
  })
}

describe('an auction', () => {
  let watcher: ReturnType<typeof createSolver>
  const held = () => watcher.auctions.at(-1)
  const heldUids = () => held()?.orders.map(({ order }) => order.uid)
  beforeEach(() => {
    watcher = createSolver(async () => [])
    fake.world.solvers = [watcher]
  })

  test("checks a wallet's signature again, and records when it is no longer valid", async () => {
    const [steady, fickle] = [await placeWalletOrder(), await placeWalletOrder()]
    const { check } = fake.world
    await auction()
    answersFrom(fickle.owner, { signature: 'invalid' })
    await auction()
    expect(heldUids()).toEqual([steady.uid])
    fake.world.check = check
    await auction()
    expect(heldUids()).toEqual([steady.uid, fickle.uid])
    expect(await eventsOf(steady)).toEqual(['ready'])
    expect(await eventsOf(fickle)).toEqual(['ready', 'invalid invalid_signature', 'ready'])
  })

  test('continues without a wallet that does not answer', async () => {
    const [mute, plain] = [await placeWalletOrder(), await placeOrder()]
    const { check } = fake.world
    fake.world.check = () => never
    await auction()
    expect(heldUids()).toEqual([plain.uid])
    expect(await eventsOf(mute)).toEqual([])
    fake.world.check = check
  })

  test("counts an order's balance after its pre-hooks", async () => {
    const interactions = hooked
    const permitted = await placeOrder({ interactions })
    const drained = await placeOrder({ interactions })
    const frozen = await placeOrder({ interactions })
    const part = await placeOrder({ interactions, partiallyFillable: true, sellAmount: 4n * unit })
    const begun = await placeOrder({ interactions, partiallyFillable: true })
    await client.query(`UPDATE orders SET executed_sell = 1 WHERE id = ${begun.id}`)
    fake.fund(permitted, unit, 0n)
    fake.fund(begun, unit, 0n)
    answersFrom(permitted.owner, { allowance: unit })
    answersFrom(drained.owner, { balance: unit - 1n })
    answersFrom(frozen.owner, { transfer: { revert: '0x' } })
    answersFrom(part.owner, { balance: unit, transfer: { revert: '0x' } })
    await auction()
    expect(held()?.orders.map(({ order, remaining }) => [order.uid, remaining])).toEqual([
      [permitted.uid, unit],
      [part.uid, unit],
    ])
    const poor = [drained, frozen, begun]
    expect(await Promise.all(poor.map(eventsOf))).toEqual(poor.map(() => ['invalid insufficient_balance']))
  })

  test("shares an account's balance among its orders, whichever source reported it", async () => {
    const owner = numbered('0d')
    const plain = await placeOrder({ owner, validTo: 1 })
    const second = await placeOrder({ owner, validTo: 2, interactions: hooked })
    const third = await placeOrder({ owner, validTo: 3, interactions: hooked, partiallyFillable: true })
    fake.fund(plain, unit)
    answersFrom(owner, { balance: 5n * (unit / 2n), allowance: 5n * (unit / 2n) })
    await auction()
    expect(held()?.orders.map(({ order, remaining }) => [order.uid, remaining])).toEqual([
      [plain.uid, unit],
      [second.uid, unit],
      [third.uid, unit / 2n],
    ])
  })

  test('gives solvers the gas of the signature and of the hooks', async () => {
    const hookDocument = { target: numbered('12'), callData: '0xab', gasLimit: '70000' }
    const document = JSON.stringify({ metadata: { hooks: { pre: [hookDocument], post: [hookDocument] } } })
    const { hash } = toAppDataInput(document)
    await storeAppData(database.db, hash, document)
    const order = await placeWalletOrder({ appData: hash, interactions: { pre: [hook], post: [hook] } })
    answersFrom(order.owner, { signatureGas: 123_456n })
    await auction()
    expect(held()?.orders.map(({ extraGas }) => extraGas)).toEqual([140_000n + 123_456n])
  })

  test('leaves out an order whose document is not readable any more, and continues', async () => {
    const document = '{"metadata":{"partnerFee":17}}'
    const { hash } = toAppDataInput(document)
    await storeAppData(database.db, hash, document)
    const [odd, plain] = [await placeOrder({ appData: hash }), await placeOrder()]
    await auction()
    expect(heldUids()).toEqual([plain.uid])
    expect(await eventsOf(odd)).toEqual([])
  })
})

describe('a settlement that would fail', () => {
  const isTrial = (calldata: string) => calldata.includes(sampleNetwork.vaultRelayer.slice(2))
  /** Settlements with trades of these orders revert, also when simulated alone. */
  const reverts = (...culprits: Order[]) => revertsWith('GPv2: spoiled', ...culprits)
  const revertsWith = (reason: string, ...culprits: Order[]) => {
    const terms = new Set(culprits.map(({ validTo }) => validTo))
    fake.world.dryRun = (calldata) => {
      const spoiled = decodeSettle(calldata)?.trades.some(({ order }) => terms.has(order.validTo))
      if (spoiled) return reason
      return isTrial(calldata) ? trialPassed : undefined
    }
  }
  /** Settlements with trades of these orders revert; each of them passes alone. */
  const revertsTogether = (...culprits: Order[]) => {
    const terms = new Set(culprits.map(({ validTo }) => validTo))
    fake.world.dryRun = (calldata) => {
      if (isTrial(calldata)) return trialPassed
      const spoiled = decodeSettle(calldata)?.trades.some(({ order }) => terms.has(order.validTo))
      return spoiled ? 'Pool: K' : undefined
    }
  }
  let terms = 2_000_000_000
  const distinct = () => ({ validTo: terms++ })

  test('because of one order settles without it, in the same auction', async () => {
    const [wallet, plain, other] = [
      await placeWalletOrder(distinct()),
      await placeOrder(distinct()),
      await placeWalletOrder(distinct()),
    ]
    reverts(wallet)
    await auction()
    expect(await eventsOf(wallet)).toEqual(['ready', 'invalid invalid_signature'])
    expect(await eventsOf(plain)).toEqual(['ready', 'executing'])
    expect(await eventsOf(other)).toEqual(['ready', 'executing'])
    expect((await storyOf(wallet)).auctions).toEqual([])
    expect(fake.world.submitted).toHaveLength(1)
  })

  test('excludes that order, and others of its owner, from the next auctions, for growing intervals', async () => {
    const wallet = await placeWalletOrder(distinct())
    const mate = await placeWalletOrder({ ...distinct(), owner: wallet.owner })
    const plain = await placeOrder({ ...distinct(), interactions: { pre: [], post: [hook] } })
    fake.world.outcomes.set(solverAddress, { outcome: 'failed', reason: 'no gas', block: 1 })
    reverts(wallet)
    const seen: bigint[][] = []
    const solver = createSolver(async (held) => {
      seen.push(held.orders.map(({ order }) => order.id))
      return [propose(held)]
    })
    fake.world.solvers = [solver]
    await auction()
    for (const _ of [1, 2, 3]) await nextAuction()
    const rest = [plain.id]
    const all = [wallet.id, mate.id, plain.id]
    expect(seen).toEqual([all, [mate.id, plain.id], rest, all, [mate.id, plain.id], rest])
    expect(await eventsOf(mate)).toEqual([
      'ready',
      'executing',
      'invalid invalid_signature',
      'ready',
      'executing',
      'invalid invalid_signature',
    ])
  })

  test('because of an order with hooks records an insufficient balance', async () => {
    const order = await placeOrder({ ...distinct(), interactions: hooked })
    const plain = await placeOrder(distinct())
    reverts(order)
    await auction()
    expect(await eventsOf(order)).toEqual(['ready', 'invalid insufficient_balance'])
    expect(await eventsOf(plain)).toEqual(['ready', 'executing'])
  })

  test.each([
    ['filled', 'GPv2: order filled'],
    ['expired', 'GPv2: order expired'],
    ['cancelled', 'SafeMath: addition overflow'],
  ])('because of an order that is %s on chain leaves its end to the indexer', async (_, revert) => {
    const [order, plain] = [await placeOrder(distinct()), await placeOrder(distinct())]
    revertsWith(revert, order)
    await auction()
    expect(await eventsOf(order)).toEqual(['ready'])
    expect(await eventsOf(plain)).toEqual(['ready', 'executing'])
    await nextAuction()
    expect(await standingOf(order)).toBe('settlement_failed')
  })

  test('while no order fails alone leaves out orders with code of their own, without an event', async () => {
    const [wallet, plain] = [await placeWalletOrder(distinct()), await placeOrder(distinct())]
    revertsTogether(wallet)
    await auction()
    expect(await eventsOf(wallet)).toEqual(['ready'])
    expect(await eventsOf(plain)).toEqual(['ready', 'executing'])
    fake.world.dryRun = () => undefined
    await nextAuction()
    expect(await standingOf(wallet)).toBe('settlement_failed')
    await auction()
    expect(await eventsOf(wallet)).toEqual(['ready', 'executing'])
  })

  /** Holds an auction in each of 16 blocks: whatever settles in them fails. */
  async function sixteenFailures(reason: string): Promise<void> {
    for (let held = 0; held < 16; held++) {
      const block = fake.world.block + 1
      fake.world.outcomes.set(solverAddress, { outcome: 'failed', reason, block })
      await nextAuction()
    }
  }

  test('with any orders is blamed on none: its solver is paused, longer each time', async () => {
    const [wallet, plain] = [await placeWalletOrder(distinct()), await placeOrder(distinct())]
    fake.world.dryRun = () => 'GPv2: not a solver'
    await sixteenFailures('GPv2: not a solver')
    // In the blocks 0, 2, 6 and 14.
    const ends = Array.from({ length: 4 }, () => 'driver failed: GPv2: not a solver')
    expect(await settledWith(wallet)).toEqual(ends)
    expect(await settledWith(plain)).toEqual(ends)
    expect([await standingOf(wallet), await standingOf(plain)]).toEqual([null, null])
  })

  test('without a culprit is submitted anyway, and its orders are paused, longer each time', async () => {
    const order = await placeOrder(distinct())
    revertsTogether(order)
    await sixteenFailures('Pool: K')
    expect(await settledWith(order)).toEqual(Array.from({ length: 4 }, () => 'driver failed: Pool: K'))
    const standing = await sql(database.db).orderStanding.findUnique({ where: { orderId: order.id } })
    expect(standing).toMatchObject({ reason: 'settlement_failed', revert: 'Pool: K' })
    expect(await eventsOf(order)).toEqual(['ready', 'executing', 'ready', 'executing'])
  })

  test('because of too many orders leaves the others to a later auction', async () => {
    const culprits: Order[] = []
    for (const _ of [1, 2, 3, 4]) culprits.push(await placeWalletOrder(distinct()))
    const plain = await placeOrder(distinct())
    // Each round proposes one of them only.
    let rounds = 0
    fake.world.solvers = [
      createSolver(async (held) => {
        rounds++
        const [first] = held.orders
        return [propose(held, ({ uid }) => uid === first?.order.uid)]
      }),
    ]
    reverts(...culprits)
    await auction()
    expect(rounds).toBe(4)
    await nextAuction()
    expect(await eventsOf(plain)).toEqual(['ready', 'executing'])
  })
})

describe('a settlement that failed on chain', () => {
  const txHash = `0x${'99'.repeat(32)}` as const
  const failed = { outcome: 'failed', reason: 'GPv2: invalid eip1271 signature', txHash, block: 21 } as const

  test('although every simulation passes excludes orders with code of their own from the next auction', async () => {
    const [wallet, plain] = [await placeWalletOrder(), await placeOrder()]
    fake.world.outcomes.set(solverAddress, failed)
    fake.world.dryRun = (calldata) =>
      calldata.includes(sampleNetwork.vaultRelayer.slice(2)) ? trialPassed : undefined
    await auction()
    fake.world.outcomes.clear()
    await nextAuction()
    expect(await eventsOf(wallet)).toEqual(['ready', 'executing'])
    expect(await eventsOf(plain)).toEqual(['ready', 'executing', 'ready', 'executing'])
    expect(await settledWith(wallet)).toEqual(['driver failed: GPv2: invalid eip1271 signature'])
  })

  test('is forgotten after a successful one', async () => {
    const wallet = await placeWalletOrder()
    fake.services.backOffs.fail(wallet.owner, 0, { reason: null })
    await auction()
    expect(await eventsOf(wallet)).toEqual(['ready', 'executing'])
    fake.services.backOffs.fail(wallet.owner, 100, { reason: null })
    expect(fake.services.backOffs.waiting(wallet.owner, 102)).toBeUndefined()
  })

  test('for another reason than its orders is blamed on none', async () => {
    const wallet = await placeWalletOrder()
    fake.world.outcomes.set(solverAddress, { outcome: 'failed', reason: 'nonce too low', block: 20 })
    await auction()
    await nextAuction()
    expect(await settledWith(wallet)).toEqual([
      'driver failed: nonce too low',
      'driver failed: nonce too low',
    ])
  })
})
