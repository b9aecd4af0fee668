import fc from 'fast-check'
import { maxUint256 } from '../../src/domain/amount.ts'
import { bytesToHex, type Hex } from '../../src/domain/evm/hex.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import type { FeePolicy } from '../../src/domain/fee/policy.ts'
import { orderEventLabels } from '../../src/domain/order/event.ts'
import type { NewOrder, Order } from '../../src/domain/order/order.ts'
import { insertAppData } from '../../src/storage/app-data.ts'
import { endAttempt, insertCompetition, startAttempt } from '../../src/storage/auction/competition.ts'
import { type ChainFacts, insertChainFacts } from '../../src/storage/chain/indexed-logs.ts'
import type { Database, Tx } from '../../src/storage/database/database.ts'
import { appendEvents } from '../../src/storage/order/events.ts'
import { findOrder, insertOrder, storeCancellations } from '../../src/storage/order/orders.ts'
import { refreshProgress } from '../../src/storage/order/progress.ts'
import { sampleOrder } from './order.ts'

const hex = (bytes: number) => fc.uint8Array({ minLength: bytes, maxLength: bytes }).map(bytesToHex)
const amount = fc.oneof(fc.constantFrom(0n, 1n, maxUint256), fc.bigInt(1n, 10n ** 30n))
const positive = amount.map((value) => (value === 0n ? 1n : value))
/** Whole seconds and milliseconds alike. */
const time = fc.integer({ min: 0, max: 4_000_000 }).map((step) => new Date(1_799_000_000_000 + step * 250))
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
/** Nothing, one, or some. */
const some = <T>(item: fc.Arbitrary<T>) =>
  fc.oneof(
    fc.constant<T[]>([]),
    fc.array(item, { minLength: 1, maxLength: 1 }),
    fc.array(item, { maxLength: 4 }),
  )

const interaction = fc.record({ target: hex(20), value: amount, callData: hex(5) })

const quote = fc.record({
  gasAmount: amount,
  gasPrice: amount,
  sellTokenPrice: fc.constantFrom('0', '1', '0.000332330009999999999'),
  sellAmount: amount,
  buyAmount: amount,
  feeAmount: amount,
  solver: hex(20),
  verified: fc.boolean(),
  calls: maybe(fc.record({ preInteractions: some(interaction), interactions: some(interaction) })),
})

const factor = fc.bigInt(0n, 999_999n)
const policy: fc.Arbitrary<FeePolicy> = fc.oneof(
  fc.record({ kind: fc.constant('surplus' as const), factor, maxVolumeFactor: factor }),
  fc.record({ kind: fc.constant('volume' as const), factor }),
  fc.record({ kind: fc.constant('priceImprovement' as const), factor, maxVolumeFactor: factor }),
)

const auction = fc.record({
  policies: some(policy),
  prices: fc.subarray(['sell', 'buy', 'other'] as const),
  solutions: some(
    fc.record({
      score: amount,
      sell: amount,
      buy: amount,
      contains: fc.boolean(),
      filteredOut: fc.boolean(),
      solver: hex(20),
    }),
  ),
  attempt: maybe(
    fc.record({
      startedAt: time,
      end: maybe(
        fc.record({
          endedAt: time,
          outcome: fc.constantFrom('success', 'timeout', 'driver failed: "\\ revert'),
        }),
      ),
    }),
  ),
  execution: maybe(fc.record({ fee: amount, fees: some(amount) })),
})

/** A token that auctions have a price for and no order trades. */
export const pricedToken = `0x${'0e'.repeat(20)}` as const

export const randomStory = fc.record({
  order: fc.record({
    receiver: maybe(hex(20)),
    sellAmount: positive,
    buyAmount: positive,
    validTo: fc.constantFrom(0, 1_799_999_999, 1_800_000_000, 1_800_000_001, 4_294_967_295),
    feeAmount: amount,
    kind: fc.constantFrom('sell' as const, 'buy' as const),
    partiallyFillable: fc.boolean(),
    signingScheme: fc.constantFrom(
      'eip712' as const,
      'ethsign' as const,
      'presign' as const,
      'eip1271' as const,
    ),
    signature: fc.oneof(hex(0), hex(65)),
    class: fc.constantFrom('limit' as const, 'market' as const, 'liquidity' as const),
    quoteId: maybe(fc.bigInt(0n, 2n ** 40n)),
    fullBalanceCheck: fc.boolean(),
    validFrom: maybe(fc.constantFrom(0, 4_294_967_295)),
    creationDate: time,
    interactions: fc.record({ pre: some(interaction), post: some(interaction) }),
    quote: maybe(quote),
  }),
  document: maybe(fc.constantFrom('{}', '{"a":"\\u0041 \\" \\n ü"}')),
  events: some(
    fc.record({
      label: fc.constantFrom(...orderEventLabels),
      reason: maybe(fc.constantFrom('in_flight', 'dust_order')),
      timestamp: time,
    }),
  ),
  auctions: some(auction),
  trades: some(fc.record({ sell: amount, buy: amount, fee: amount, inAuction: fc.boolean() })),
  whole: fc.boolean(),
  cancelled: fc.boolean(),
})

type RandomStory = typeof randomStory extends fc.Arbitrary<infer T> ? T : never

/** Gives each stored story its own UID, owner and tokens, also while fast-check shrinks a failure. */
let stories = 0
const own = (prefix: string, bytes: number) =>
  `0x${prefix}${stories.toString(16).padStart(bytes * 2 - 2, '0')}` as Hex

let auctionIds = 1_000n
let blocks = 1_000

/** Stores a story with all its parts. */
export async function storeStory(db: Database, story: RandomStory): Promise<Order> {
  stories++
  const { document } = story
  const given = {
    ...story.order,
    uid: own('01', 56),
    owner: own('02', 20),
    sellToken: own('03', 20),
    buyToken: own('04', 20),
  }
  const appData = document === null ? (`0x${'cd'.repeat(32)}` as Hex) : keccakText(document)
  const order = sampleOrder({ ...given, appData, fullAppData: document, effectiveValidTo: given.validTo })
  return db.transaction(async (tx) => {
    if (document !== null) await insertAppData(tx, appData, document)
    const id = await insertOrder(tx, order as NewOrder)
    if (id === undefined) throw new Error('stored twice')
    for (const event of story.events) await appendEvents(tx, [{ orderId: id, ...event }])
    const ids: bigint[] = []
    for (const part of story.auctions) ids.push(await storeAuction(tx, part, { ...order, id }))
    await insertChainFacts(tx, order.chainId, { ...noFacts, trades: tradesOf(story, { ...order, id }, ids) })
    await refreshProgress(tx, [id])
    if (story.cancelled) await storeCancellations(tx, [id], new Date(1_799_000_000_000))
    const stored = await findOrder(tx, order.uid)
    if (!stored) throw new Error('not stored')
    return stored
  })
}

const noFacts: ChainFacts = {
  trades: [],
  settlements: [],
  invalidations: [],
  presignatures: [],
  executions: [],
}

async function storeAuction(tx: Tx, part: RandomStory['auctions'][number], order: Order): Promise<bigint> {
  const id = auctionIds++
  const token = { sell: order.sellToken, buy: order.buyToken, other: pricedToken }
  const nativePrices = new Map(part.prices.map((name, index) => [token[name], 10n ** BigInt(index * 9)]))
  const entry = { order, remaining: 1n, feePolicies: part.policies, extraGas: 0n }
  const solutions = part.solutions.map((solution, uid) => ({
    ...solution,
    uid,
    ranking: uid + 1,
    isWinner: uid === 0,
    referenceScore: null,
    pairScores: new Map(),
    proposal: { prices: new Map(), trades: [], interactions: [], gas: 0n },
    executions: solution.contains
      ? [
          {
            orderUid: order.uid,
            sell: solution.sell,
            buy: solution.buy,
            networkFee: 0n,
            feeSide: 'sell' as const,
            protocolFees: [],
          },
        ]
      : [],
  }))
  const auction = {
    id,
    chainId: order.chainId,
    block: 5,
    deadlineBlock: 10,
    orders: [entry],
    surplusCapturingOwners: [],
    nativePrices,
    gasPrice: 1n,
  }
  await insertCompetition(tx, auction, solutions)
  if (part.attempt) {
    const attempt = { auctionId: id, solutionUid: 0, chainId: order.chainId, solver: order.owner }
    await startAttempt(tx, {
      ...attempt,
      startedAt: part.attempt.startedAt,
      startBlock: 6,
      deadlineBlock: 10,
    })
    if (part.attempt.end) await endAttempt(tx, { ...attempt, ...part.attempt.end, endBlock: 8, txHash: null })
  }
  if (part.execution) {
    const { fee, fees } = part.execution
    const protocolFees = fees.map((item) => ({ token: order.buyToken, amount: item }))
    const row = {
      orderId: order.id,
      auctionId: id,
      executedFee: fee,
      executedFeeToken: order.sellToken,
      networkFee: fee,
      blockNumber: 8,
      protocolFees,
    }
    await insertChainFacts(tx, order.chainId, { ...noFacts, executions: [row] })
  }
  return id
}

/** With `whole` the last trade completes the order, so that every status appears. */
function tradesOf(
  { trades, whole }: RandomStory,
  order: Order,
  auctionIds: readonly bigint[],
): ChainFacts['trades'] {
  const blockNumber = blocks++
  const complete = { sell: order.sellAmount, buy: order.buyAmount, fee: 0n, inAuction: true }
  return (whole ? [complete] : trades).map(({ sell, buy, fee, inAuction }, logIndex) => ({
    chainId: order.chainId,
    blockNumber,
    logIndex,
    orderId: order.id,
    orderUid: order.uid,
    owner: order.owner,
    sellToken: order.sellToken,
    buyToken: order.buyToken,
    // The sum of all trades must fit the columns.
    sellAmount: whole ? sell : sell / 8n + fee / 8n,
    buyAmount: whole ? buy : buy / 8n,
    feeAmount: fee / 8n,
    txHash: `0x${'ab'.repeat(32)}` as const,
    auctionId: (inAuction ? auctionIds[0] : undefined) ?? null,
  }))
}
