import { expect, test } from 'vitest'
import { createHoldings, holdingKey } from '../../../src/auctions/admission/holdings.ts'
import { createHoldingChanges } from '../../../src/chain/logs/holding-changes.ts'
import { Outage } from '../../../src/domain/errors/error.ts'
import { numbered, sampleOrder } from '../../fakes/order.ts'
import { silentLog } from '../../fakes/silent-log.ts'

const hashOf = (block: number) => `0x${block.toString(16).padStart(64, '0')}` as const
const head = (number: number, hash = hashOf(number)) => ({
  number,
  hash,
  parentHash: hashOf(number - 1),
  timestamp: number,
})
const orders = [1, 2, 3, 4, 5, 6].map((number) => sampleOrder({ owner: numbered(`0${number}`) }))
const keys = orders.map(holdingKey)
const held = (balance: bigint) => ({ balance, allowance: 100n })

/** Balances that the test sets, and what was read of them. */
function openWorld(limits = { reads: 4, turns: 1 }) {
  const world = {
    balances: new Map<string, bigint>(),
    changed: new Set<string>(),
    isDown: false,
    reads: [] as string[],
  }
  const holdings = createHoldings({
    async spendable(list) {
      world.reads = list.map(({ owner, token }) => `${owner}:${token}`)
      return world.reads.map((key) => ({ balance: world.balances.get(key) ?? 7n, allowance: 100n }))
    },
    changes: createHoldingChanges({
      chain: {
        async changedHoldings(tokens) {
          if (world.isDown) throw new Outage('the network node')
          return new Set([...world.changed].filter((key) => tokens.some((token) => key.endsWith(token))))
        },
        block: async (number) => head(number),
      },
      log: silentLog,
    }),
    limits,
  })
  return { world, holdings }
}

test('new balances are read first, then changed ones, and the others in turns', async () => {
  const { world, holdings } = openWorld()
  const first = await holdings.read(orders, head(1))
  expect(world.reads).toEqual(keys.slice(0, 4))
  expect([...first.values()]).toEqual([held(7n), held(7n), held(7n), held(7n)])
  await holdings.read(orders, head(2))
  expect(world.reads).toEqual([keys[4], keys[5], keys[0]])
  world.changed = new Set([keys[3] ?? ''])
  world.balances.set(keys[3] ?? '', 3n)
  const third = await holdings.read(orders, head(3))
  expect(world.reads).toEqual([keys[3], keys[1]])
  expect(third.get(keys[3] ?? '')).toEqual(held(3n))
  world.changed = new Set()
  await holdings.read(orders, head(4))
  expect(world.reads).toEqual([keys[2]])
})

test.each([
  ['a block that replaces the last one', head(3, hashOf(99)), false],
  ['a lower block', head(2), false],
  ['many blocks at once', head(200), false],
  ['logs that cannot be read', head(4), true],
])('after %s no balance counts until it is read again', async (_, next, isDown) => {
  const { world, holdings } = openWorld({ reads: 6, turns: 1 })
  await holdings.read(orders, head(3))
  for (const key of keys) world.balances.set(key, 1n)
  world.isDown = isDown
  const after = await holdings.read(orders.slice(0, 5), next)
  expect([...after]).toEqual(keys.slice(0, 5).map((key) => [key, held(1n)]))
})

test('a balance that no order wanted meanwhile is read again', async () => {
  const { world, holdings } = openWorld({ reads: 6, turns: 0 })
  await holdings.read(orders, head(1))
  await holdings.read(orders.slice(1), head(2))
  world.balances.set(keys[0] ?? '', 3n)
  expect((await holdings.read(orders, head(3))).get(keys[0] ?? '')).toEqual(held(3n))
})

test('a changed balance that could not be read yet is not known', async () => {
  const { world, holdings } = openWorld({ reads: 6, turns: 0 })
  await holdings.read(orders, head(1))
  const { holdings: small, world: other } = openWorld({ reads: 2, turns: 0 })
  for (const block of [1, 2, 3]) await small.read(orders, head(block))
  other.changed = new Set(keys)
  expect([...(await small.read(orders, head(4))).keys()]).toEqual(keys.slice(0, 2))
  world.changed = new Set(keys.slice(0, 1))
  expect((await holdings.read(orders, head(2))).size).toBe(6)
})
