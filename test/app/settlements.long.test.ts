import { isDeepStrictEqual } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readSettings } from '../../src/app/config.ts'
import { composeNetwork, createSharedServices } from '../../src/app/network.ts'
import { runAuction, runAuctions } from '../../src/auctions/run.ts'
import type { AuctionServices } from '../../src/auctions/services.ts'
import type { Rpc } from '../../src/chain/rpc/rpc.ts'
import { createSettlementSequence } from '../../src/chain/settlement/sequence.ts'
import { createSettler } from '../../src/chain/settlement/settler.ts'
import { createAccountBalances } from '../../src/chain/transaction/account-balances.ts'
import type { Auction } from '../../src/domain/auction/auction.ts'
import { type Hex, hexToBytes } from '../../src/domain/evm/hex.ts'
import { keccakHex } from '../../src/domain/evm/keccak.ts'
import type { Solver } from '../../src/solvers/solver.ts'
import { sql } from '../../src/storage/database/database.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { eventually } from '../setup/eventually.ts'
import { createTrader, graphql, type OrderWish, request } from '../setup/trader.ts'
import { startWorld, type World } from '../setup/world.ts'

// The program serves and indexes; the test runs the auctions.
const coin = 10n ** 18n

let world: World
let services: AuctionServices
let stop: AbortController
let ended: Promise<unknown>[]

beforeEach(async () => {
  world = await startWorld({ roles: ['serve', 'index'] })
  services = auctionServices()
  stop = new AbortController()
  ended = []
})
afterEach(async () => {
  stop.abort()
  await Promise.all(ended)
  await world[Symbol.asyncDispose]()
})

function auctionServices(): AuctionServices {
  const settings = readSettings({
    SOLVER_PRIVATE_KEY: world.market.solver.privateKey,
    AUCTION_DEADLINE_BLOCKS: '60',
  })
  const { network } = world.market
  const { db } = world.database
  const shared = { ...createSharedServices({ settings, now: Date.now }), db, loopDb: db, settings }
  const options = { ...shared, log: silentLog, now: Date.now, random: Math.random }
  const parts = composeNetwork({ network, rpcUrl: world.chain.rpcUrl }, options)
  for (const node of parts.nodes.list) node.accept()
  return parts.auctionServices
}

/** The services with a node that keeps transactions to itself while it is told to. */
function withHeldTransactions() {
  const held = { isHolding: false, hashes: [] as Hex[] }
  const { rpc: node, market } = world.chain
  const rpc: Rpc = {
    ...node,
    async call<T>(method: string, params: readonly unknown[] = []) {
      if (method !== 'eth_sendRawTransaction' || !held.isHolding) return node.call<T>(method, params)
      const hash = keccakHex(hexToBytes(params[0] as Hex))
      held.hashes.push(hash)
      return hash as T
    },
  }
  const sequence = createSettlementSequence(rpc, market.network)
  const { privateKey } = market.solver
  const settler = createSettler({
    rpc,
    network: market.network,
    privateKey,
    sequence,
    log: silentLog,
    maxFeePerGas: 500n * 10n ** 9n,
    balances: createAccountBalances({ rpc, accounts: new Map(), log: silentLog }),
  })
  return { held, services: { ...services, sequence, settlers: new Map([[settler.address, settler]]) } }
}

const trader = (account = 0) => createTrader(world.url, world.market, account)

async function place(wish: Partial<OrderWish>, account = 0): Promise<string> {
  const swap = { sell: 'WETH', buy: 'USDC', sellAmount: coin, buyAmount: 1n } as const
  const { status, body } = await trader(account).place({ ...swap, ...wish })
  expect({ status, body }).toEqual({ status: 201, body: expect.any(String) })
  return body
}

const statusOf = async (uid: string) => (await trader().order(uid)).status
const isFilled = async (uid: string) => (await statusOf(uid)) === 'fulfilled'
const reportOf = async (uid: string) => (await request(`${trader().base}/api/v1/debug/order/${uid}`)).body
const attemptsOf = async (uid: string) => {
  const { auctions } = await reportOf(uid)
  return auctions.flatMap(({ settlementAttempts }: { settlementAttempts: unknown[] }) => settlementAttempts)
}
const storedAttempts = () =>
  sql(world.database.db).settlementAttempt.findMany({ orderBy: { auctionId: 'asc' } })

/** The built-in solver, which also proposes each of its bids on single orders alone. */
function alone(
  services: AuctionServices,
  before: (auction: Auction) => Promise<void> = async () => {},
): Solver {
  const [builtIn] = services.solvers
  if (!builtIn) throw new Error('no solver')
  return {
    ...builtIn,
    async solve(auction, market, signal) {
      await before(auction)
      const each = auction.orders.map((entry) =>
        builtIn.solve({ ...auction, orders: [entry] }, market, signal),
      )
      return (await Promise.all(each)).flat()
    },
  }
}

const nextBlock = () => world.chain.rpc.call('evm_mine')

test('auctions go on while a settlement is on its way, and both settle in the end', async () => {
  const { held, services } = withHeldTransactions()
  held.isHolding = true
  ended.push(runAuctions(services, stop.signal))
  const first = await place({})
  await eventually('the first settlement is sent', () => held.hashes.length > 0)
  const second = await place({ sell: 'DAI', buy: 'COW', sellAmount: 100n * coin }, 1)
  await eventually('the second settlement is sent', async () => {
    const sent = (await storedAttempts()).filter(({ signedTransaction }) => signedTransaction !== null)
    return sent.length === 2
  })
  expect((await storedAttempts()).map(({ outcome }) => outcome)).toEqual([null, null])
  expect([await statusOf(first), await statusOf(second)]).toEqual(['open', 'open'])
  held.isHolding = false
  for (const uid of [first, second]) await eventually('the order is filled', () => isFilled(uid))
  expect(await attemptsOf(first)).toMatchObject([{ outcome: 'success' }])
  expect(await attemptsOf(second)).toMatchObject([{ outcome: 'success' }])
})

test('winners that share pools do not make each other fail', async () => {
  services = { ...services, solvers: [alone(services)] }
  const wishes: Partial<OrderWish>[] = [{}, { buy: 'DAI' }, { buy: 'COW' }, { sell: 'COW', buy: 'DAI' }]
  const uids = await Promise.all(
    wishes.map((wish, account) => place({ sellAmount: 40n * coin, ...wish }, account)),
  )
  await eventually('all orders are filled', async () => {
    ended.push(...(await runAuction(services, 16, stop.signal)))
    await nextBlock()
    return (await Promise.all(uids.map(isFilled))).every(Boolean)
  })
  await Promise.all(ended)
  const outcomes = (await storedAttempts()).map(({ outcome }) => outcome)
  expect(outcomes).toEqual(outcomes.map(() => 'success'))
  expect(outcomes.length).toBeGreaterThanOrEqual(2)
})

test('solvers compete again without an order that is cancelled while they work', async () => {
  const best = await place({ sellAmount: 2n * coin })
  const second = await place({}, 1)
  services = {
    ...services,
    solvers: [alone(services, async () => void (await trader().cancel([best])))],
  }
  ended.push(...(await runAuction(services, 16, stop.signal)))
  await Promise.all(ended)
  await eventually('the second best is filled', () => isFilled(second))
  expect(await attemptsOf(second)).toMatchObject([{ outcome: 'success' }])
  expect(await statusOf(best)).toBe('cancelled')
  expect(await attemptsOf(best)).toEqual([])
})

test('a settlement that a process left is followed by the next one, which sends others after it', async () => {
  const { held, services: first } = withHeldTransactions()
  held.isHolding = true
  const leaving = new AbortController()
  const running = runAuctions(first, leaving.signal)
  const uid = await place({})
  await eventually('the settlement is sent', () => held.hashes.length > 0)
  leaving.abort()
  await running
  const [left] = await storedAttempts()
  expect(left).toMatchObject({ outcome: null, signedTransaction: expect.any(Uint8Array) })

  ended.push(runAuctions(services, stop.signal))
  const other = await place({ sell: 'DAI', buy: 'COW', sellAmount: 100n * coin }, 1)
  for (const each of [uid, other]) await eventually('the order is filled', () => isFilled(each))
  const outcomes = (await storedAttempts()).map(({ outcome, signedTransaction }) => [
    outcome,
    signedTransaction,
  ])
  // The node never had it: it was cancelled, and its order settled in another auction.
  expect(outcomes[0]).toEqual(['timeout', null])
  expect(outcomes.slice(1)).toEqual(outcomes.slice(1).map(() => ['success', null]))
})

test('what is left of a batch is settled at once when one of its orders is cancelled before it is sent', async () => {
  const [settler] = services.settlers.values()
  if (!settler) throw new Error('no settler')
  const orders = await Promise.all(
    [0, 0, 1, 2].map((account, index) => place({ buyAmount: BigInt(index + 1) }, account)),
  )
  const [gone = '', sameOwner = '', ...others] = orders
  const submit: typeof settler.submit = async (...given) => {
    await trader().cancel([gone])
    return settler.submit(...given)
  }
  const { head } = services
  const start = await head()
  services = {
    ...services,
    settlers: new Map([[settler.address, { ...settler, submit }]]),
    // No block comes before the others are sent.
    head: async () => ((await storedAttempts()).length < 2 ? start : head()),
  }
  ended.push(runAuctions(services, stop.signal))
  for (const uid of others) await eventually('the order is filled', () => isFilled(uid))
  const [first, second] = await storedAttempts()
  expect(first).toMatchObject({ outcome: `driver failed: not sent: cancelled: ${gone}`, txHash: null })
  expect(second?.startBlock).toBe(first?.startBlock)
  const held = async (uid: string) =>
    (await reportOf(uid)).auctions.map(({ id }: { id: number }) => BigInt(id))
  expect(await held(others[0] ?? '')).toEqual([first?.auctionId, second?.auctionId])
  expect((await held(sameOwner)).slice(0, 2)).not.toContain(second?.auctionId)
  await eventually('the other order of the owner is filled', async () => {
    await nextBlock()
    return isFilled(sameOwner)
  })
})

describe('an order that is cancelled after its settlement was sent', () => {
  const pending = async (uid: string) =>
    (await graphql(world.url, `{ order(uid: "${uid}") { pendingSettlements { txHash } } }`)).order
      .pendingSettlements

  test('is answered with the transaction, which is withdrawn when no order of it is left', async () => {
    const { held, services } = withHeldTransactions()
    held.isHolding = true
    ended.push(runAuctions(services, stop.signal))
    const uid = await place({})
    await eventually('the settlement is sent', () => held.hashes.length > 0)
    const { headers, status, body } = await trader().cancel([uid])
    expect([status, body]).toEqual([200, 'Cancelled'])
    expect(held.hashes).toContain(headers.get('x-pending-settlements'))
    held.isHolding = false
    await eventually('the attempt has ended', async () => {
      await nextBlock()
      return (await storedAttempts())[0]?.outcome
    })
    expect(await attemptsOf(uid)).toMatchObject([
      { outcome: 'driver failed: withdrawn: its orders were cancelled' },
    ])
    expect([await statusOf(uid), await pending(uid)]).toEqual(['cancelled', []])
  })

  test('is filled if others are settled with it, and all of its history says so', async () => {
    const { held, services } = withHeldTransactions()
    held.isHolding = true
    const [uid, other] = await Promise.all([place({}), place({}, 1)])
    ended.push(...(await runAuction(services, 16, stop.signal)))
    await eventually('the settlement is sent', () => held.hashes.length > 0)
    const before = await trader().cancel([uid])
    const shown = [...(await pending(uid)), ...(await pending(other))].map(({ txHash }) => txHash)
    expect(shown).toHaveLength(2)
    // It may be sent at another price meanwhile, by another hash.
    for (const hash of [before.headers.get('x-pending-settlements'), ...shown])
      expect(held.hashes).toContain(hash)
    await eventually('both have the same', async () =>
      isDeepStrictEqual(await pending(other), await pending(uid)),
    )
    held.isHolding = false
    await eventually('both are filled', async () => {
      await nextBlock()
      return (await isFilled(uid)) && (await isFilled(other))
    })
    const { events } = await reportOf(uid)
    expect(events.map(({ label }: { label: string }) => label).slice(-3)).toEqual([
      'executing',
      'cancelled',
      'traded',
    ])
    const messages = (await trader().notifications())
      .map(({ type, message }: Record<string, string>) => `${type}: ${message}`)
      .filter((text: string) => !text.startsWith('price_improvement'))
    expect(messages).toEqual([
      expect.stringMatching(/^order_filled: Order filled after it was cancelled: /),
      expect.stringMatching(/^order_cancelled: /),
    ])
    expect(await pending(uid)).toEqual([])
  })
})

test('the standing of a resting order has the price that the router found', async () => {
  ended.push(runAuctions(services, stop.signal))
  const uid = await place({ buyAmount: 3_000_000n * 10n ** 6n })
  const question = `{ order(uid: "${uid}") { standing { marketGap bestPrice { solver gap } } } }`
  const standing = async () => (await graphql(world.url, question)).order.standing
  await eventually('the router found a price', async () => {
    await nextBlock()
    return (await standing())?.bestPrice
  })
  const { marketGap, bestPrice } = await standing()
  expect(bestPrice).toEqual({ solver: null, gap: expect.any(String) })
  // Pools take a fee, and give less for more.
  expect(Number(bestPrice.gap)).toBeLessThan(Number(marketGap))
  expect(Number(bestPrice.gap)).toBeCloseTo(Number(marketGap), 4)
})
