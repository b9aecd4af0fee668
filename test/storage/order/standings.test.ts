import { expect, test } from 'vitest'
import { hexOf } from '../../../src/storage/database/columns.ts'
import { sql } from '../../../src/storage/database/database.ts'
import { type OrderStanding, writeStandings } from '../../../src/storage/order/standings.ts'
import { numbered, signingDomain } from '../../fakes/order.ts'
import { storeOrder } from '../../fakes/stored-order.ts'
import { createTestDatabase } from '../../setup/database.ts'

const nowhere: Omit<OrderStanding, 'orderId'> = {
  reason: null,
  marketGap: null,
  feeShare: null,
  policyShare: null,
  missing: null,
  fundsTakenBy: null,
  held: null,
  revert: null,
  failing: null,
  unpriced: [],
  routed: null,
  best: null,
}

test('standings that are written together keep the token and pool that fail, whichever order comes first', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  const failing = [
    null,
    { kind: 'token', address: numbered('a1') },
    { kind: 'pool', address: numbered('a2') },
  ] as const
  const orders = []
  for (const [index] of failing.entries())
    orders.push(await storeOrder(db, { owner: numbered(`0${index + 1}`) }))
  const standings = orders.map(({ id }, index) => ({
    ...nowhere,
    orderId: id,
    failing: failing[index] ?? null,
  }))
  await db.transaction((tx) => writeStandings(tx, signingDomain.chainId, standings, new Date(0)))
  const rows = await sql(db).orderStanding.findMany({ orderBy: { orderId: 'asc' } })
  expect(
    rows.map(({ failingToken: token, failingPool: pool }) => [token && hexOf(token), pool && hexOf(pool)]),
  ).toEqual([
    [null, null],
    [numbered('a1'), null],
    [null, numbered('a2')],
  ])
})
