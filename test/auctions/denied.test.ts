import { expect, test } from 'vitest'
import { runAuction } from '../../src/auctions/run.ts'
import { createAuctionServices, createSolver } from '../fakes/auction-services.ts'
import { dollar, numbered } from '../fakes/order.ts'
import { storeOrder } from '../fakes/stored-order.ts'
import { eventsOfOrders } from '../fakes/stored-story.ts'
import { createTestDatabase } from '../setup/database.ts'

test('orders with a denied account or token are left out with the reason, and return when it is allowed again', async () => {
  await using database = await createTestDatabase()
  const fake = createAuctionServices(database.db)
  const solver = createSolver(async () => [])
  fake.world.solvers = [solver]
  const auction = async () => Promise.all(await runAuction(fake.services, 16, new AbortController().signal))
  const store = (digits: string, receiver: `0x${string}` | null) =>
    storeOrder(database.db, { owner: numbered(digits), receiver, buyAmount: 2_900_000_000n })
  const [owned, received, other] = [
    await store('01', null),
    await store('02', numbered('03')),
    await store('04', numbered('00')),
  ]
  const eventsOf = async (order: typeof owned) =>
    (await eventsOfOrders(database.db, [order.id])).slice(1).map(({ label, reason }) => `${label} ${reason}`)

  fake.services.policy.deniedAccounts = new Set([numbered('01'), numbered('03'), numbered('00')])
  await auction()
  expect(await Promise.all([owned, received, other].map(eventsOf))).toEqual([
    ['invalid banned_user'],
    ['invalid banned_user'],
    ['ready null'],
  ])
  fake.services.policy.deniedAccounts = new Set()
  fake.services.policy.deniedTokens = new Set([dollar])
  await auction()
  expect(await eventsOf(other)).toEqual(['ready null', 'invalid unsupported_token'])
  fake.services.policy.deniedTokens = new Set()
  await auction()
  expect(solver.auctions.at(-1)?.orders.map(({ order }) => order.uid)).toEqual(
    [owned, received, other].map(({ uid }) => uid),
  )
})
