import { expect, test } from 'vitest'
import { createHeldTokens, type HeldTokensOptions } from '../../src/auctions/held-tokens.ts'
import { Outage } from '../../src/domain/errors/error.ts'
import { type Address, address } from '../../src/domain/evm/address.ts'
import { silentLog } from '../fakes/silent-log.ts'

const hash = `0x${'00'.repeat(32)}` as const
const token = (index: number) => address(`0x${(index + 1).toString(16).padStart(40, '0')}`)

/** The settlement contract's tokens: each is worth its balance. */
function holding(amounts: [Address, bigint][], more: Partial<HeldTokensOptions> = {}) {
  const world = { amounts: new Map(amounts), minutes: 0, read: [] as number[], isDown: false }
  const held = createHeldTokens({
    async received() {
      if (world.isDown) throw new Outage('the database')
      return [...world.amounts.keys()]
    },
    async balances(tokens) {
      world.read.push(tokens.length)
      return tokens.map((one) => world.amounts.get(one))
    },
    values: async (found) => found,
    minValue: 10n,
    now: () => world.minutes * 60_000,
    log: silentLog,
    ...more,
  })
  const refresh = async () => {
    await held.refresh({ hash })
    // A later reading is not waited for.
    await Promise.resolve(new Promise((resolve) => setImmediate(resolve)))
    world.minutes++
  }
  return { world, held, refresh }
}

test('tokens above the value are held, the most valuable ones first', async () => {
  const { held, refresh } = holding([
    [token(1), 10n],
    [token(2), 9n],
    [token(3), 500n],
    [token(4), 0n],
  ])
  expect([held.isReady(), held.list()]).toEqual([false, []])
  await refresh()
  expect([held.isReady(), held.list()]).toEqual([true, [token(3), token(1)]])
})

test('ten thousand worthless tokens are read once in half an hour, a thousand at once, and displace nothing', async () => {
  const donated = Array.from({ length: 10_000 }, (_, index): [Address, bigint] => [token(index + 10), 1n])
  const { world, held, refresh } = holding([[token(1), 100n], ...donated])
  for (let minute = 0; minute < 12; minute++) await refresh()
  expect(held.list()).toEqual([token(1)])
  // The one that is worth something is read again each time.
  expect(world.read).toEqual([...Array.from({ length: 10 }, () => 1_000), 11, 1])
  for (let minute = 12; minute < 29; minute++) await refresh()
  expect(world.read.slice(12)).toEqual(Array.from({ length: 17 }, () => 1))
})

test('five hundred tokens are compared at most', async () => {
  const { held, refresh } = holding(
    Array.from({ length: 600 }, (_, index): [Address, bigint] => [token(index), BigInt(1_000 + index)]),
  )
  await refresh()
  expect(held.list()).toHaveLength(500)
  expect(held.list()[0]).toBe(token(599))
})

test('during an outage the last ones stay', async () => {
  const { world, held, refresh } = holding([[token(1), 100n]])
  world.isDown = true
  await refresh()
  expect(held.isReady()).toBe(false)
  world.isDown = false
  await refresh()
  expect(held.list()).toEqual([token(1)])
  world.isDown = true
  await refresh()
  expect([held.isReady(), held.list()]).toEqual([true, [token(1)]])
})

test('a token that spoils settlements is left out for a day', async () => {
  const { world, held, refresh } = holding([[token(1), 100n]])
  await refresh()
  expect([held.drop(token(2)), held.drop(token(1))]).toEqual([false, true])
  expect(held.list()).toEqual([])
  await refresh()
  expect(held.list()).toEqual([])
  world.minutes += 24 * 60
  await refresh()
  await refresh()
  expect(held.list()).toEqual([token(1)])
})

test('a token that is spent is held no longer', async () => {
  const { world, held, refresh } = holding([[token(1), 100n]])
  await refresh()
  world.amounts.set(token(1), 0n)
  await refresh()
  expect(held.list()).toEqual([])
})
