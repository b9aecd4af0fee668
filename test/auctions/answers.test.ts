import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runAuction } from '../../src/auctions/run.ts'
import { trialPassed } from '../../src/auctions/settlement-calldata.ts'
import { decodeSettle } from '../../src/chain/settlement/call.ts'
import { maxUint256 } from '../../src/domain/amount.ts'
import type { Auction } from '../../src/domain/auction/auction.ts'
import type { Proposal } from '../../src/domain/auction/solution.ts'
import type { Order } from '../../src/domain/order/order.ts'
import { diagnoseOrders } from '../../src/orders/diagnose.ts'
import type { Solver } from '../../src/solvers/solver.ts'
import { insertRefusals, maxRefusalsOfSolver } from '../../src/storage/auction/solver-messages.ts'
import { createAuctionServices, createSolver, propose, solverAddress } from '../fakes/auction-services.ts'
import { fakeOf } from '../fakes/fake-of.ts'
import { sampleNetwork } from '../fakes/network.ts'
import { coin, dollar, numbered, wrapped } from '../fakes/order.ts'
import { indexedUpTo } from '../fakes/solutions.ts'
import { storeOrder } from '../fakes/stored-order.ts'
import { connectDirectly, emptyTables } from '../setup/database.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { graphql } from '../setup/trader.ts'

const million = 10n ** 6n
const { chainId } = sampleNetwork
const second = numbered('52')

let server: TestServer
let hiding: TestServer
let client: Awaited<ReturnType<typeof connectDirectly>>
let fake: ReturnType<typeof createAuctionServices>
let owners = 0
beforeAll(async () => {
  server = await openTestServer({
    diagnose: (orders) =>
      diagnoseOrders(orders, {
        network: sampleNetwork,
        now: () => fake.world.seconds * 1_000,
        policy: { deniedTokens: new Set() },
        auctions: { everyBlocks: 1, minLifetime: 60 },
        chain: {
          balances: async (holdings) => holdings.map(() => ({ balance: maxUint256, allowance: maxUint256 })),
        },
      }),
  })
  hiding = await openTestServer({}, { db: server.database.db, hidesCompetitions: true })
  client = await connectDirectly(server.database.url)
})
beforeEach(async () => {
  await emptyTables(client)
  fake = createAuctionServices(server.database.db)
})
afterAll(async () => {
  await client?.end()
  await hiding?.[Symbol.asyncDispose]()
  await server?.[Symbol.asyncDispose]()
})

const place = (overrides: Partial<Order> = {}) =>
  storeOrder(server.database.db, {
    owner: numbered((0x60 + (owners++ % 0x80)).toString(16)),
    buyAmount: 2_900n * million,
    ...overrides,
  })

const auction = async () => Promise.all(await runAuction(fake.services, 16, new AbortController().signal))
const good = (address = solverAddress, chosen?: (order: Order) => boolean) =>
  createSolver(async (held) => [propose(held, chosen)], address)
/** The prices promise less to each trader. */
const dearer = (proposal: Proposal): Proposal => ({
  ...proposal,
  prices: new Map([
    [wrapped, 2_950n * million],
    [dollar, 10n ** 18n],
  ]),
})

const story = `query ($uid: OrderUid!, $auctionId: SafeInt, $solver: Address) {
  order(uid: $uid) {
    solverOutcomes(auctionId: $auctionId, solver: $solver) {
      auctionId solver outcome fault bid { score executedBuy ranking } winningBid { solver executedBuy }
      refused { refusal { code message } solutionIds orderUids }
    }
    refusedSolutions { nodes { auctionId solver deadline refusal { code } orderUids } }
  }
}`
const outcomesOf = async ({ uid }: Order, more: { auctionId?: number; solver?: string } = {}, at = server) =>
  (await graphql(at.url, story, { uid, ...more })).order

const left = `query ($id: SafeInt!, $after: String) { auction(id: $id) {
  excludedOrders(first: 2, after: $after) { nodes { reason order { uid } } pageInfo { hasNextPage endCursor } totalCount }
  solverAnswers { solver answer fault }
  solutions { solver refusal { code message } }
  refusedSolutions { solver refusal { code message } }
} }`
async function newest(): Promise<number> {
  const { latestAuction } = await graphql(server.url, '{ latestAuction { auctionId } }')
  return latestAuction.auctionId
}
async function exclusions(id: number) {
  const pages = [await graphql(server.url, left, { id })]
  for (;;) {
    const { hasNextPage, endCursor } = pages.at(-1).auction.excludedOrders.pageInfo
    if (!hasNextPage) break
    pages.push(await graphql(server.url, left, { id, after: endCursor }))
  }
  return pages.flatMap(({ auction: { excludedOrders } }) =>
    excludedOrders.nodes.map(({ reason, order }: { reason: string; order: Order }) => [order.uid, reason]),
  )
}

describe('what an auction left out', () => {
  test('is told with the reason, for as long as it lasts, also after another process led', async () => {
    fake.world.solvers = [good(solverAddress, ({ id }) => id === held.id)]
    const held = await place({ partiallyFillable: true })
    const unpriced = await place({ buyToken: coin })
    const poor = await place()
    const later = await place({ validFrom: 1_000_100 })
    const soon = await place({ effectiveValidTo: 1_000_030 })
    fake.fund(poor, 1n)
    // What times out can be settled again.
    fake.world.outcomes.set(solverAddress, { outcome: 'timeout', block: 13 })
    await auction()
    const first = await newest()
    expect(await exclusions(first)).toEqual([
      [unpriced.uid, 'MISSING_NATIVE_PRICE'],
      [poor.uid, 'INSUFFICIENT_BALANCE'],
      [later.uid, 'NOT_YET_VALID'],
      [soon.uid, 'EXPIRES_SOON'],
    ])
    fake.fund(poor, 10n ** 18n)
    fake.world.block = 14
    fake.services.exclusions.reset()
    await auction()
    const next = await newest()
    expect(next).toBeGreaterThan(first)
    expect((await exclusions(next)).map(([uid]) => uid)).toEqual([unpriced.uid, later.uid, soon.uid])
    // The past stays as it was.
    expect(await exclusions(first)).toHaveLength(4)
    const { rows } = await client.query('SELECT count(*)::int FROM exclusion_spans')
    expect(rows).toEqual([{ count: 4 }])
  })

  test('costs two statements where it changed, and none where it did not', async () => {
    fake.world.solvers = [good(solverAddress, ({ id }) => id === held.id)]
    fake.world.outcomes.set(solverAddress, { outcome: 'timeout', block: 13 })
    const held = await place({ partiallyFillable: true })
    for (let count = 0; count < 3; count++) await place({ buyToken: coin })
    await auction()
    const { statements } = server.database
    const before = statements.length
    fake.world.block = 14
    await auction()
    expect(statements.slice(before).filter((text) => text.includes('exclusion_spans'))).toEqual([])
    expect((await exclusions(await newest())).map(([, reason]) => reason)).toEqual(
      Array(3).fill('MISSING_NATIVE_PRICE'),
    )
  })

  test('names the orders that solvers went on without', async () => {
    fake.world.solvers = [good()]
    const [kept, guilty] = [await place({ validTo: 2_000_000_001 }), await place({ validTo: 2_000_000_002 })]
    fake.world.dryRun = (calldata) => {
      const spoiled = decodeSettle(calldata)?.trades.some(({ order }) => order.validTo === guilty.validTo)
      if (spoiled) return 'GPv2: spoiled'
      return calldata.includes(sampleNetwork.vaultRelayer.slice(2)) ? trialPassed : undefined
    }
    await auction()
    const id = await newest()
    expect(await exclusions(id)).toEqual([[guilty.uid, 'INSUFFICIENT_BALANCE']])
    expect((await outcomesOf(kept)).solverOutcomes).toMatchObject([{ outcome: 'WON' }])
    expect((await outcomesOf(guilty, { auctionId: id })).solverOutcomes).toMatchObject([
      { outcome: 'NOT_SENT' },
    ])
  })
})

describe('what became of an order with each solver', () => {
  test('won, beaten, refused, without a bid, late, failed, not asked or not sent', async () => {
    const order = await place()
    const other = await place({ buyToken: coin })
    const solvers: Solver[] = [
      good(),
      createSolver(async (held) => [dearer(propose(held))], second),
      createSolver(async (held) => [{ ...propose(held), prices: new Map() }], numbered('53')),
      createSolver(async () => [], numbered('54')),
      createSolver(async () => new Promise(() => undefined), numbered('55')),
      createSolver(async () => Promise.reject(new Error('secret')), numbered('56')),
    ]
    fake.world.solvers = solvers
    await auction()
    const id = await newest()
    const { solverOutcomes } = await outcomesOf(order)
    const bare = solverOutcomes.map(({ solver, outcome }: Record<string, string>) => [solver, outcome])
    expect(bare).toEqual([
      [solverAddress, 'WON'],
      [second, 'BEATEN'],
      [numbered('53'), 'REFUSED'],
      [numbered('54'), 'NO_BID'],
      [numbered('55'), 'LATE'],
      [numbered('56'), 'FAILED'],
    ])
    const winningBid = { solver: solverAddress, executedBuy: '3000000000' }
    expect(solverOutcomes[1]).toMatchObject({
      auctionId: id,
      bid: { executedBuy: '2950000000', ranking: 2 },
      winningBid,
      refused: null,
    })
    expect(solverOutcomes[2]).toMatchObject({
      bid: null,
      winningBid,
      refused: {
        refusal: { code: 'INVALID_PRICE', message: `order ${order.uid} has no clearing price` },
        solutionIds: [],
        orderUids: [order.uid],
      },
    })
    // The text of a fault may name what is not ours.
    expect(JSON.stringify(solverOutcomes)).not.toContain('secret')
    expect((await outcomesOf(order, { solver: second })).solverOutcomes).toEqual([solverOutcomes[1]])
    const notSent = await outcomesOf(other, { auctionId: id, solver: second })
    expect(notSent.solverOutcomes).toMatchObject([{ solver: second, outcome: 'NOT_SENT', bid: null }])
    expect((await outcomesOf(other)).solverOutcomes).toEqual([])
  })

  test('is one statement, and hidden until the deadline has passed', async () => {
    const order = await place()
    fake.world.solvers = [
      good(),
      createSolver(async () => [{ ...propose(fakeOf<Auction>({ orders: [] })) }], second),
    ]
    await auction()
    const id = await newest()
    const { statements } = server.database
    const before = statements.length
    await outcomesOf(order)
    expect(statements.length - before).toBe(1)
    await graphql(server.url, left, { id })
    expect(statements.length - before).toBe(2)
    const behind = `query ($uid: OrderUid!) { order(uid: $uid) { auctions { nodes {
      excludedOrders { nodes { reason } totalCount } solverAnswers { solver } refusedSolutions { solver } } } } }`
    expect(await outcomesOf(order, { auctionId: id }, hiding)).toEqual({
      solverOutcomes: [],
      refusedSolutions: { nodes: [] },
    })
    const [entry] = (await graphql(hiding.url, behind, { uid: order.uid })).order.auctions.nodes
    expect(entry).toEqual({
      excludedOrders: { nodes: [], totalCount: 0 },
      solverAnswers: [],
      refusedSolutions: [],
    })
    await indexedUpTo(server.database.db, 14)
    expect((await outcomesOf(order, {}, hiding)).solverOutcomes).toHaveLength(2)
    const [over] = (await graphql(hiding.url, behind, { uid: order.uid })).order.auctions.nodes
    expect(over).toMatchObject({ solverAnswers: [{}, {}], refusedSolutions: [{ solver: second }] })
  })
})

describe('refused solutions', () => {
  test('are told also where nothing valid came in, without an auction', async () => {
    const order = await place()
    fake.world.solvers = [createSolver(async (held) => [{ ...propose(held), prices: new Map() }])]
    await auction()
    expect((await graphql(server.url, '{ latestAuction { auctionId } }')).latestAuction).toBeNull()
    const found = await outcomesOf(order)
    expect(found.refusedSolutions.nodes).toEqual([
      {
        auctionId: expect.any(Number),
        solver: solverAddress,
        deadline: 13,
        refusal: { code: 'INVALID_PRICE' },
        orderUids: [order.uid],
      },
    ])
    expect((await outcomesOf(order, {}, hiding)).refusedSolutions.nodes).toEqual([])
    const { order: diagnosed } = await graphql(
      server.url,
      `query ($uid: OrderUid!) { order(uid: $uid) { diagnosis {
        code summary evidence { ... on CompetitionEvidence { auctionId solver refusal } } } } }`,
      { uid: order.uid },
    )
    const reason = `order ${order.uid} has no clearing price`
    expect(diagnosed.diagnosis).toEqual({
      code: 'SOLUTION_REFUSED',
      summary: `A trade that was proposed for the order was refused: ${reason}.`,
      evidence: [
        { auctionId: found.refusedSolutions.nodes[0].auctionId, solver: solverAddress, refusal: reason },
      ],
    })
    await indexedUpTo(server.database.db, 13)
    expect((await outcomesOf(order, {}, hiding)).refusedSolutions.nodes).toEqual([])
    await indexedUpTo(server.database.db, 14, 13)
    expect((await outcomesOf(order, {}, hiding)).refusedSolutions.nodes).toHaveLength(1)
  })

  test('that compete and cannot win say why', async () => {
    await place()
    let simulations = 0
    fake.world.solvers = [good(), createSolver(async (held) => [dearer(propose(held))], second)]
    fake.services.sequence = {
      simulate: async (calls) =>
        calls.map(({ sender }) => {
          if (sender !== solverAddress) return { gas: 1n }
          simulations++
          return { revert: 'the pool is empty' }
        }),
    }
    fake.world.dryRun = () => 'the pool is empty'
    await auction()
    const { auction: stored } = await graphql(server.url, left, { id: await newest() })
    expect(simulations).toBeGreaterThan(0)
    expect(stored.solutions).toContainEqual({
      solver: solverAddress,
      refusal: { code: 'REVERTS', message: 'the pool is empty' },
    })
    expect(stored.solutions).toContainEqual({ solver: second, refusal: null })
  })

  test('are bounded: ten of an answer, and the newest of each solver', async () => {
    const order = await place()
    const bad = (held: Parameters<typeof propose>[0]) => ({ ...propose(held), prices: new Map() })
    fake.world.solvers = [createSolver(async (held) => Array.from({ length: 50 }, () => bad(held)))]
    await auction()
    expect((await outcomesOf(order)).refusedSolutions.nodes).toHaveLength(10)
    await client.query(
      `INSERT INTO refused_solutions (auction_id, chain_id, deadline_block, solver, code, message, order_ids, solution_ids, at)
       SELECT 1, ${chainId}, 1, $1, 'reverts', '', '{}', '{}', now() FROM generate_series(1, ${maxRefusalsOfSolver})`,
      [Buffer.from(solverAddress.slice(2), 'hex')],
    )
    await insertRefusals(
      server.database.db,
      [
        {
          auctionId: 2n,
          chainId,
          deadlineBlock: 1,
          solver: solverAddress,
          code: 'reverts' as const,
          message: 'x'.repeat(900),
          orderIds: [order.id],
          solutionIds: [7],
        },
      ],
      new Date(0),
    )
    const { rows } = await client.query(
      'SELECT count(*)::int, max(length(message))::int AS max FROM refused_solutions',
    )
    expect(rows).toEqual([{ count: maxRefusalsOfSolver, max: 500 }])
  })
})
