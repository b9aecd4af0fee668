import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertNotice } from '../../../src/storage/auction/solver-messages.ts'
import { sql } from '../../../src/storage/database/database.ts'
import { numbered } from '../../fakes/order.ts'
import { indexedUpTo, storeContest } from '../../fakes/solutions.ts'
import { storeOrder } from '../../fakes/story.ts'
import { network, openTestServer, type TestServer } from '../../setup/server.ts'
import { request } from '../../setup/trader.ts'

const solver = numbered('51')
let server: TestServer
let hiding: TestServer
beforeAll(async () => {
  server = await openTestServer()
  const { db } = server.database
  hiding = await openTestServer({}, { db, hidesCompetitions: true })
  const order = await storeOrder(db, { owner: numbered('1a') })
  for (const [id, deadlineBlock] of [
    [20n, 110],
    [22n, 120],
  ] as const)
    await storeContest(db, { id, orders: [order], deadlineBlock, solutions: [] })
  // 19 and 21 had no solution that could be stored, 23 is still under way.
  for (const auctionId of [19n, 20n, 21n, 22n, 23n])
    await insertNotice(db, {
      chainId: network.chainId,
      solver,
      auctionId,
      solutionIds: [1n],
      kind: 'timeout',
      reason: 'late',
      at: new Date(0),
    })
})
afterAll(async () => {
  await hiding?.[Symbol.asyncDispose]()
  await server?.[Symbol.asyncDispose]()
})

const auctionsOf = async ({ url }: TestServer) => {
  const { body } = await request(`${url}/sepolia/api/v1/solver_notices/${solver}`)
  return body.map(({ auctionId }: { auctionId: number }) => auctionId)
}

test('notices about hidden competitions, stored or not, come once their deadline has passed', async () => {
  expect(await auctionsOf(server)).toEqual([23, 22, 21, 20, 19])
  expect(await auctionsOf(hiding)).toEqual([])
  await indexedUpTo(server.database.db, 111)
  expect(await auctionsOf(hiding)).toEqual([20, 19])
  await sql(server.database.db).$executeRaw`UPDATE checkpoints SET block_number = 121`
  expect(await auctionsOf(hiding)).toEqual([22, 21, 20, 19])
})
