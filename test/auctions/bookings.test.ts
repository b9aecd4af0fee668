import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { runAuction } from '../../src/auctions/run.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import type { Solver } from '../../src/solvers/solver.ts'
import { paidByPermission } from '../../src/storage/auction/accounting.ts'
import { sql } from '../../src/storage/database/database.ts'
import { createAuctionServices, createSolver, propose, solverAddress } from '../fakes/auction-services.ts'
import { sampleNetwork } from '../fakes/network.ts'
import { coin, dollar, numbered, wrapped } from '../fakes/order.ts'
import { storeOrder } from '../fakes/stored-order.ts'
import { connectDirectly, createTestDatabase, emptyTables, type TestDatabase } from '../setup/database.ts'

const million = 10n ** 6n

let database: TestDatabase
let client: Awaited<ReturnType<typeof connectDirectly>>
let fake: ReturnType<typeof createAuctionServices>
let notices: { kind: string; reason: string }[]
beforeAll(async () => {
  database = await createTestDatabase()
  client = await connectDirectly(database.url)
})
beforeEach(async () => {
  await emptyTables(client)
  fake = createAuctionServices(database.db)
  // A hundredth of what is bought.
  fake.services.feePolicies = [{ kind: 'volume', factor: 10_000n }]
  notices = []
})
afterAll(async () => {
  await client.end()
  await database[Symbol.asyncDispose]()
})

/**
 * An outside solver that pays a coin from what the contract has, and keeps the network fee of a thousandth.
 */
function outsider(): Solver & { auctions: unknown[] } {
  const solver = createSolver(async (auction) => {
    const proposal = propose(auction)
    const trades = proposal.trades.map((trade) => {
      const fee = trade.executedAmount / 1_000n
      return { ...trade, executedAmount: trade.executedAmount - fee, fee }
    })
    return [{ ...proposal, trades, internalized: new Map([[coin, -5n]]) }]
  })
  return Object.assign(solver, {
    outside: {
      maxProposals: 3,
      isPunctual: () => true,
      notify: (_: unknown, notice: { kind: string; reason: string }) => void notices.push(notice),
    },
  })
}

const auction = async () => Promise.all(await runAuction(fake.services, 16, new AbortController().signal))
let placed = 0
const place = () =>
  storeOrder(database.db, { buyAmount: 2_900n * million, validTo: 2_000_000_000 + placed++ })

async function rows() {
  const stored = await sql(database.db).settlementBooking.findMany({ orderBy: { token: 'asc' } })
  return stored.map(({ token, networkFee, protocolFee, internalized, least, change }) => [
    `0x${Buffer.from(token).toString('hex')}`,
    ...[networkFee, protocolFee, internalized, least, change].map(
      (value) => value && BigInt(value.toFixed()),
    ),
  ])
}

const fees = { network: 10n ** 15n, protocol: 29_970_000n }

test('fees and what is paid by permission are booked, and compared with what the chain says', async () => {
  await place()
  fake.world.solvers = [outsider()]
  fake.world.changesOf = new Map<Address, bigint>([
    [wrapped, 0n],
    [dollar, fees.protocol + 7n],
    [coin, -5n],
  ])
  await auction()
  expect(await rows()).toEqual([
    [wrapped, fees.network, 0n, 0n, 0n, 0n],
    [dollar, 0n, fees.protocol, 0n, fees.protocol, fees.protocol + 7n],
    [coin, 0n, 0n, -5n, -5n, -5n],
  ])
  expect(notices).toEqual([])
  const solver = { chainId: sampleNetwork.chainId, solver: solverAddress }
  expect(await paidByPermission(database.db, { ...solver, since: new Date(0) })).toEqual(
    new Map([[coin, 5n]]),
  )
  expect(await paidByPermission(database.db, { ...solver, since: new Date(2_000_000_000_000) })).toEqual(
    new Map(),
  )
})

test.each<[string, [Address, bigint][]]>([
  [
    'less than the fees',
    [
      [dollar, fees.protocol - 1n],
      [coin, -5n],
    ],
  ],
  [
    'less than was permitted',
    [
      [dollar, fees.protocol],
      [coin, -6n],
    ],
  ],
  [
    'less of a token that it does not name',
    [
      [dollar, fees.protocol],
      [solverAddress, -1n],
    ],
  ],
])('a solver whose settlement leaves %s is not asked for 64 blocks', async (_, changes) => {
  await place()
  const solver = outsider()
  fake.world.solvers = [solver]
  fake.world.changesOf = new Map(changes)
  const lost: string[] = []
  fake.services.meter = { ...fake.services.meter, lost: (name) => void lost.push(name) }
  await auction()
  expect(lost).toEqual([solverAddress])
  expect(notices).toEqual([
    expect.objectContaining({ kind: 'banned', reason: expect.stringContaining('less than it had to') }),
  ])
  await place()
  fake.world.block += 64
  await auction()
  expect(solver.auctions).toHaveLength(1)
  fake.world.block += 1
  await auction()
  expect(solver.auctions).toHaveLength(2)
})

test('what a settlement takes or leaves without a log is booked, and bans its solver', async () => {
  await place()
  const solver = outsider()
  fake.world.solvers = [solver]
  fake.world.changesOf = new Map([
    [dollar, fees.protocol],
    [coin, -5n],
  ])
  const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}` as const
  const slot = { slot: word(1n), callers: [['0x9b1b4a4d']] } as const
  fake.services.effects = {
    ...fake.services.effects,
    minedFootprint: async () => ({
      writes: [
        { ...slot, contract: numbered('5e'), before: word(9n), after: word(2n) },
        { ...slot, contract: numbered('5f'), before: word(0n), after: word(1n) },
      ],
      reads: [],
    }),
  }
  fake.services.balancesAround = async () => new Map([[numbered('5e'), { before: 9n, after: 2n }]])
  await auction()
  expect((await rows()).map(([token, , , , , change]) => [token, change])).toContainEqual([
    numbered('5e'),
    -7n,
  ])
  expect(notices).toEqual([
    expect.objectContaining({
      kind: 'banned',
      reason: expect.stringMatching(
        `${numbered('5e')}: -7 instead of 0.*leaves a right.*in ${numbered('5f')}`,
      ),
    }),
  ])
})

test('a log that contradicts what the guard compared on chain bans no solver', async () => {
  await place()
  fake.world.solvers = [outsider()]
  fake.world.changesOf = new Map([
    [dollar, fees.protocol],
    [coin, -5n],
    [numbered('e1'), -(10n ** 40n)],
  ])
  fake.services.network = { ...fake.services.network, balanceGuard: numbered('99') }
  await auction()
  expect(notices).toEqual([])
})

test('without the receipt, bookings stay without a change', async () => {
  await place()
  fake.world.solvers = [outsider()]
  await auction()
  expect((await rows()).map(([, , , , , change]) => change)).toEqual([null, null, null])
})
