import { randomBytes } from 'node:crypto'
import { Wallet } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { batch } from '../../src/concurrency/batch.ts'
import { eventually } from '../setup/eventually.ts'
import { createTrader, graphql, request } from '../setup/trader.ts'
import { startWorld, type World } from '../setup/world.ts'

const unit = 10n ** 18n

let world: World
beforeAll(async () => {
  world = await startWorld({ environment: { AUCTION_MAX_ORDERS: '20' } })
})
afterAll(() => world?.[Symbol.asyncDispose]())

const swap = (sellAmount: bigint) => ({ sell: 'WETH', buy: 'USDC', sellAmount, buyAmount: 1n }) as const
const isFilled = (trader: ReturnType<typeof createTrader>, uid: string) => async () =>
  (await trader.order(uid)).status === 'fulfilled' || undefined

const standingOf = async (uid: string) => {
  const fields = 'reason since marketGap feeShare missing isInAuctions fundsTakenBy { uid }'
  return (
    await graphql(
      world.url,
      `{ order(uid: "${uid}") { standing { ${fields} } events { nodes { label reason } } } }`,
    )
  ).order
}

test('any number of unsigned orders leaves the places of an auction to others', async () => {
  const trader = createTrader(world.url, world.market, 0)
  const template = await trader.sign({ ...swap(unit), buyAmount: 1_000n * 10n ** 6n })
  const place = batch(
    (orders: readonly string[]) =>
      Promise.all(
        orders.map(async (from) => {
          const order = { ...template, from, receiver: from, signature: from, signingScheme: 'presign' }
          return request(`${trader.base}/api/v1/orders`, 'POST', order)
        }),
      ),
    { maxBatch: 50, concurrency: 1 },
  )
  const owners = Array.from(
    { length: 1_050 },
    () => new Wallet(`0x${randomBytes(32).toString('hex')}`).address,
  )
  const placed = await Promise.all(owners.map(place))
  expect(new Set(placed.map(({ status }) => status))).toEqual(new Set([201]))
  const { body: uid } = await trader.place(swap(unit))
  await eventually('the swap is settled', isFilled(trader, uid))
  const last = placed.at(-1)?.body
  const unsigned = await eventually('an unsigned order has a standing', async () => {
    const order = await standingOf(last)
    return order.standing ? order : undefined
  })
  expect(unsigned.standing).toMatchObject({ isInAuctions: false, reason: 'INVALID_SIGNATURE' })
  expect(unsigned.events.nodes).toEqual([
    { label: 'CREATED', reason: null },
    { label: 'INVALID', reason: 'INVALID_SIGNATURE' },
  ])
})

test('a far order that asks for the whole balance does not block the swaps of its owner', async () => {
  const trader = createTrader(world.url, world.market, 1)
  const balance = await world.chain.rpc.call<string>('eth_call', [
    { to: world.market.tokens.WETH.address, data: `0x70a08231${trader.address.slice(2).padStart(64, '0')}` },
    'latest',
  ])
  const all = { ...swap(BigInt(balance)), buyAmount: (BigInt(balance) * 30_000n) / 10n ** 12n }
  const { body: far } = await trader.place(all)
  const before = await eventually('the far order is in auctions', async () => {
    const { standing } = await standingOf(far)
    return standing?.isInAuctions ? standing : undefined
  })
  // A tenth of the limit price, so the market is nine tenths below it.
  expect(Number(before.marketGap)).toBeCloseTo(-0.9, 2)
  const { body: near } = await trader.place(swap(unit))
  await eventually('the swap is settled', isFilled(trader, near))
  const after = await eventually('the far order lacks what was sold', async () => {
    const { standing } = await standingOf(far)
    return standing?.missing === String(unit) && standing.fundsTakenBy === null ? standing : undefined
  })
  expect(after).toMatchObject({ isInAuctions: false, reason: 'INSUFFICIENT_BALANCE' })
  expect((await standingOf(near)).standing).toBeNull()
})

test('orders of one owner that fill an auction leave places to others, and say that it is full', async () => {
  const [many, one] = [createTrader(world.url, world.market, 2), createTrader(world.url, world.market, 3)]
  const far = (index: number) => ({ ...swap(unit + BigInt(index)), buyAmount: 30_000n * 10n ** 6n })
  const placed = await Promise.all(Array.from({ length: 30 }, (_, index) => many.place(far(index))))
  const uids: string[] = placed.map(({ body }) => body)
  const other = (await one.place({ ...swap(unit), buyAmount: 40_000n * 10n ** 6n })).body
  const all = await eventually('every order has a standing', async () => {
    const standings = await Promise.all([...uids, other].map(async (uid) => (await standingOf(uid)).standing))
    return standings.every((standing) => standing) ? standings : undefined
  })
  expect(all.at(-1)).toMatchObject({ isInAuctions: true })
  const left = all.filter(({ isInAuctions }) => !isInAuctions)
  expect(left.length).toBeGreaterThanOrEqual(10)
  expect(new Set(left.map(({ reason }) => reason))).toEqual(new Set(['AUCTION_FULL']))
})
