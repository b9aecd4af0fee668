import type { Balance } from '../../../src/chain/chain.ts'
import { maxUint256 } from '../../../src/domain/amount.ts'
import { Outage } from '../../../src/domain/errors/error.ts'
import type { Address } from '../../../src/domain/evm/address.ts'
import type { Order } from '../../../src/domain/order/order.ts'
import { diagnoseOrders } from '../../../src/orders/diagnose.ts'
import { endAttempt, startAttempt } from '../../../src/storage/auction/competition.ts'
import { storeRound } from '../../../src/storage/auction/current-auction.ts'
import { storeTransaction } from '../../../src/storage/auction/settlement-attempts.ts'
import { bytea } from '../../../src/storage/database/columns.ts'
import { sql } from '../../../src/storage/database/database.ts'
import { type OrderStanding, writeStandings } from '../../../src/storage/order/standings.ts'
import { numbered } from '../../fakes/order.ts'
import { type SampleSolution, storeContest } from '../../fakes/solutions.ts'
import { storeOrder } from '../../fakes/story.ts'
import { network, openTestServer, type TestServer } from '../../setup/server.ts'

export const time = 1_800_000_000_000
export const at = (seconds: number) => new Date(time + seconds * 1_000)
export const unit = 10n ** 18n
export const million = 10n ** 6n
export const solver = numbered('51')

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

/** A server over stored rows, with auctions and a chain that the test sets. */
export async function openStage() {
  const world = {
    denied: new Set<Address>(),
    /** What an account has; undefined: more than enough. */
    balances: new Map<Address, Balance>(),
    isAway: false,
    calls: 0,
    now: time,
  }
  const chain = {
    async balances(holdings: readonly { owner: Address }[]) {
      world.calls++
      if (world.isAway) throw new Outage('the network node')
      const enough = { balance: maxUint256, allowance: maxUint256 }
      return holdings.map(({ owner }) => world.balances.get(owner) ?? enough)
    },
  }
  const server: TestServer = await openTestServer({
    diagnose: (orders) =>
      diagnoseOrders(orders, {
        network,
        now: () => world.now,
        policy: { deniedTokens: world.denied },
        auctions: { everyBlocks: 2, minLifetime: 60 },
        chain,
      }),
  })
  const { db } = server.database
  let orders = 0
  let auctions = 100n

  return {
    server,
    db,
    world,
    /** An order of an owner of its own, placed ten seconds ago. */
    order: (more: Partial<Order> = {}) =>
      storeOrder(db, {
        owner: numbered((++orders).toString(16).padStart(4, '0')),
        creationDate: at(-10),
        ...more,
      }),
    stand: (order: Order, standing: Partial<OrderStanding>, since = at(-5)) =>
      db.transaction((tx) =>
        writeStandings(tx, network.chainId, [{ ...nowhere, ...standing, orderId: order.id }], since),
      ),
    /** @returns its id */
    async contest(order: Order, solutions: (Partial<SampleSolution> & { buy?: bigint })[]): Promise<bigint> {
      const id = ++auctions
      await storeContest(db, {
        id,
        orders: [order],
        deadlineBlock: 103,
        solutions: solutions.map(({ buy = 2_950n * million, ...solution }) => ({
          solver,
          score: 5n,
          fills: [{ order, sell: unit, buy }],
          ...solution,
        })),
      })
      await sql(db).auction.update({ where: { id }, data: { createdAt: at(-4) } })
      return id
    },
    async attempt(auctionId: bigint, outcome: string | null, txHash: `0x${string}` | null) {
      const key = { auctionId, solutionUid: 0 }
      const start = { startedAt: at(-3), startBlock: 101, deadlineBlock: 103 }
      await db.transaction(async (tx) => {
        await startAttempt(tx, { ...key, chainId: network.chainId, solver, ...start })
        if (txHash) await storeTransaction(tx, key, { raw: '0x02', hash: txHash, submission: 'sent' })
        if (outcome) await endAttempt(tx, { ...key, endedAt: at(-1), endBlock: 104, outcome, txHash })
      })
    },
    held: (seconds: number) => storeRound(db, { chainId: network.chainId, at: at(seconds) }),
    /** The newest block that is stored. */
    async indexed(number: number, seconds: number) {
      const block = { blockNumber: BigInt(number), blockHash: bytea(`0x${'01'.repeat(32)}`) }
      const row = { ...block, blockTime: at(seconds), headNumber: BigInt(number) }
      await sql(db).checkpoint.upsert({
        where: { chainId: network.chainId },
        create: { chainId: network.chainId, ...row, updatedAt: at(0) },
        update: row,
      })
    },
    async prices(token: Address, points: readonly (readonly [seconds: number, price: bigint])[]) {
      const { chainId } = network
      const where = { chainId_token: { chainId, token: bytea(token) } }
      const create = { chainId, token: bytea(token) }
      const { id } = await sql(db).priceSeries.upsert({ where, create, update: {} })
      await sql(db).marketPrice.createMany({
        data: points.map(([seconds, price]) => ({ seriesId: id, at: at(seconds), price: price.toString() })),
      })
    },
  }
}

export type Stage = Awaited<ReturnType<typeof openStage>>
