import type { RankedSolution } from '../../src/domain/auction/solution.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import type { NewOrder, Order } from '../../src/domain/order/order.ts'
import { insertAppData } from '../../src/storage/app-data.ts'
import { endAttempt, insertCompetition, startAttempt } from '../../src/storage/auction/competition.ts'
import { insertChainFacts } from '../../src/storage/chain/indexed-logs.ts'
import type { Database } from '../../src/storage/database/database.ts'
import { recordNotifications } from '../../src/storage/notifications.ts'
import { appendEvents } from '../../src/storage/order/events.ts'
import { findOrder, insertOrder } from '../../src/storage/order/orders.ts'
import { refreshProgress } from '../../src/storage/order/progress.ts'
import { auctionOrder, dollar, numbered, sampleAuction, sampleOrder, sampleQuote, wrapped } from './order.ts'

const solver = numbered('50')
const txHash = `0x${'ab'.repeat(32)}` as const

/** An order right after it was placed. */
export async function storeOrder(db: Database, overrides: Partial<NewOrder> = {}): Promise<Order> {
  const order = sampleOrder({ creationDate: new Date(1_799_999_000_000), ...overrides })
  await db.transaction(async (tx) => {
    if (order.fullAppData !== null) await insertAppData(tx, order.appData, order.fullAppData)
    const orderId = await insertOrder(tx, order)
    if (orderId === undefined) throw new Error('stored twice')
    await appendEvents(tx, [{ orderId, label: 'created', reason: null, timestamp: order.creationDate }])
  })
  return stored(db, order)
}

/** An order that was quoted, won an auction with two solutions, and was settled in full. */
export async function storeSettledOrder(db: Database, auctionId: bigint, owner: Address): Promise<Order> {
  const quote = sampleQuote({
    gasAmount: 155_000n,
    gasPrice: 10n ** 9n,
    sellTokenPrice: '1',
    sellAmount: 10n ** 18n,
    buyAmount: 2_950n * 10n ** 6n,
    feeAmount: 155n * 10n ** 12n,
    solver,
    verified: true,
  })
  const { id } = await storeOrder(db, { owner, quote, quoteId: 5n })
  const order = sampleOrder({ owner })
  const auction = {
    ...sampleAuction([
      auctionOrder({ ...order, id }, [{ kind: 'surplus', factor: 500_000n, maxVolumeFactor: 10_000n }]),
    ]),
    id: auctionId,
  }
  const at = (seconds: number) => new Date(1_799_999_000_000 + seconds * 1_000)
  const trade = {
    chainId: order.chainId,
    blockNumber: Number(auctionId) + 100,
    logIndex: 3,
    orderId: id,
    orderUid: order.uid,
    owner,
    sellToken: wrapped,
    buyToken: dollar,
    sellAmount: 10n ** 18n,
    buyAmount: 2_940n * 10n ** 6n,
    feeAmount: 0n,
    txHash,
    auctionId,
  }
  await db.transaction(async (tx) => {
    await insertCompetition(tx, auction, [ranked(order, 0), ranked(order, 1)])
    for (const [index, label] of (['ready', 'executing', 'traded'] as const).entries()) {
      await appendEvents(tx, [{ orderId: id, label, reason: null, timestamp: at(index + 1) }])
    }
    const attempt = { auctionId, solutionUid: 0, chainId: order.chainId, solver }
    await startAttempt(tx, { ...attempt, startedAt: at(2), startBlock: 101, deadlineBlock: 103 })
    await endAttempt(tx, { ...attempt, endedAt: at(3), endBlock: 102, outcome: 'success', txHash })
    await insertChainFacts(tx, order.chainId, {
      trades: [trade],
      settlements: [],
      invalidations: [],
      presignatures: [],
      executions: [
        {
          orderId: id,
          auctionId,
          executedFee: 9n * 10n ** 12n,
          executedFeeToken: wrapped,
          networkFee: 9n * 10n ** 12n,
          blockNumber: trade.blockNumber,
          protocolFees: [{ token: dollar, amount: 20_000_000n }],
        },
      ],
    })
    await refreshProgress(tx, [id])
  })
  return stored(db, order)
}

export async function storeNotification(db: Database, account: Address, index: number): Promise<void> {
  await db.transaction((tx) =>
    recordNotifications(tx, [
      {
        cause: `test:${account}:${index}`,
        account,
        type: 'order_filled',
        message: `notification ${index}`,
        timestamp: new Date(1_799_999_000_000 + index),
        metadata: { orderId: sampleOrder().uid, chainId: 11155111, executedAmount: String(index) },
        blockNumber: null,
      },
    ]),
  )
}

function ranked(order: Order, uid: number): RankedSolution {
  const execution = {
    orderUid: order.uid,
    sell: 10n ** 18n,
    buy: (2_940n - BigInt(uid)) * 10n ** 6n,
    networkFee: 9n * 10n ** 12n,
    feeSide: 'sell' as const,
    protocolFees: [20_000_000n],
  }
  return {
    solver,
    proposal: { prices: new Map(), trades: [], interactions: [], gas: 0n },
    executions: [execution],
    score: 1_000n - BigInt(uid),
    pairScores: new Map(),
    uid,
    ranking: uid + 1,
    isWinner: uid === 0,
    filteredOut: false,
    referenceScore: uid === 0 ? 999n : null,
  }
}

async function stored(db: Database, { uid }: Pick<Order, 'uid'>): Promise<Order> {
  const order = await findOrder(db, uid)
  if (!order) throw new Error('the order is not there')
  return order
}
