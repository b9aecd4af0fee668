import { afterAll, beforeAll, expect, test } from 'vitest'
import { runAuction } from '../../src/auctions/run.ts'
import { createAuctionServices, createSolver, propose, silentMeter } from '../fakes/auction-services.ts'
import { numbered } from '../fakes/order.ts'
import { storeOrder } from '../fakes/stored-order.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.[Symbol.asyncDispose]())

test('an auction tells how each solver answered, and where each order stands', async () => {
  const fake = createAuctionServices(database.db)
  const { services, world } = fake
  const answers: string[] = []
  const standings: string[][] = []
  const phases = new Set<string>()
  services.meter = {
    ...silentMeter,
    answered: (solver, answer) => answers.push(`${solver} ${answer}`),
    stand: (of) => standings.push([...of].sort()),
    took: (phase) => phases.add(phase),
  }
  await runAuction(services, 5, new AbortController().signal)
  expect(standings).toEqual([[]])

  await storeOrder(database.db, { owner: numbered('61') })
  const poor = await storeOrder(database.db, { owner: numbered('62') })
  fake.fund(poor, 0n)
  const ok = numbered('51')
  const refused = numbered('52')
  const failed = numbered('53')
  const late = numbered('54')
  world.solvers = [
    createSolver(async (auction) => [propose(auction)], ok),
    createSolver(async (auction) => [{ ...propose(auction), trades: [] }], refused),
    createSolver(() => Promise.reject(new Error('broken')), failed),
    createSolver(() => new Promise(() => undefined), late),
  ]
  await Promise.all(await runAuction(services, 5, new AbortController().signal))
  expect(standings[1]).toEqual(['in_auction', 'insufficient_balance'])
  expect([...new Set(answers)].sort()).toEqual([
    `${ok} ok`,
    `${refused} refused`,
    `${failed} failed`,
    `${late} late`,
  ])
  expect([...phases].sort()).toEqual(['assemble', 'record', 'settle', 'simulate', 'solve'])
})
