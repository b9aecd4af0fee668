import type {
  OrderExecution,
  ProposedExecution,
  SettlementAttempt,
  StoredAuction,
  StoredSolution,
} from '../../src/domain/auction/competition.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import type { Hex } from '../../src/domain/evm/hex.ts'
import type { FeePolicy } from '../../src/domain/fee/policy.ts'
import type { OrderEvent } from '../../src/domain/order/event.ts'
import type { Order, Trade } from '../../src/domain/order/order.ts'
import { amountOf, hexOf } from '../../src/storage/database/columns.ts'
import { type Database, sql } from '../../src/storage/database/database.ts'
import type { FeePolicy as PolicyRow, Trade as TradeRow } from '../../src/storage/generated/client.ts'

interface NativePrice {
  token: Address
  /** Native atoms for 10^18 token atoms. */
  price: bigint
}

/** One auction in the history of one order, reduced to the parts about that order. */
interface AuctionHistory extends StoredAuction {
  /** The prices of the order's two tokens, if the auction had them. */
  nativePrices: NativePrice[]
  proposedSolutions: (StoredSolution & Pick<ProposedExecution, 'executedSell' | 'executedBuy'>)[]
  executions: OrderExecution[]
  settlementAttempts: SettlementAttempt[]
  feePolicies: FeePolicy[]
}

/** The full history of an order. Events are sorted oldest first, auctions by id, trades newest first. */
interface OrderHistory {
  events: OrderEvent[]
  auctions: AuctionHistory[]
  trades: Trade[]
}

/** The history of an order, read from the tables without the program's statements. */
export async function readStory(db: Database, { id }: Pick<Order, 'id'>): Promise<OrderHistory> {
  const client = sql(db)
  const order = await client.order.findUniqueOrThrow({ where: { id } })
  const events = await client.orderEvent.findMany({
    where: { orderId: id },
    orderBy: [{ timestamp: 'asc' }, { id: 'asc' }],
  })
  const held = await client.auctionOrder.findMany({ where: { orderId: id }, orderBy: { auctionId: 'asc' } })
  const auctions: AuctionHistory[] = []
  for (const { auctionId } of held) {
    auctions.push(await readAuction(db, id, auctionId, [order.sellToken, order.buyToken]))
  }
  return {
    events: events.map(({ label, reason, timestamp }) => ({
      label: label as OrderEvent['label'],
      reason,
      timestamp,
    })),
    auctions,
    trades: await readTrades(db, { id }),
  }
}

/** Newest first. */
export async function readTrades(db: Database, { id }: Pick<Order, 'id'>): Promise<Trade[]> {
  const rows = await sql(db).trade.findMany({
    where: { orderId: id },
    orderBy: [{ blockNumber: 'desc' }, { logIndex: 'desc' }],
  })
  return rows.map(toTrade)
}

async function readAuction(
  db: Database,
  orderId: bigint,
  auctionId: bigint,
  pair: Uint8Array[],
): Promise<AuctionHistory> {
  const client = sql(db)
  const ofOrder = { orderId, auctionId }
  const { chainId, block, deadlineBlock } = await client.auction.findUniqueOrThrow({
    where: { id: auctionId },
  })
  const tokens = pair.map(hexOf)
  const prices = await client.auctionPrice.findMany({ where: { auctionId } })
  const attempts = await client.settlementAttempt.findMany({
    where: { auctionId },
    orderBy: [{ startedAt: 'asc' }, { solutionUid: 'asc' }],
  })
  const policies = await client.feePolicy.findMany({ where: ofOrder, orderBy: { position: 'asc' } })
  const executions = await client.execution.findMany({ where: ofOrder })
  return {
    id: auctionId,
    chainId,
    block: Number(block),
    deadlineBlock: Number(deadlineBlock),
    nativePrices: prices
      .map(({ token, price }) => ({ token: hexOf(token), price: amountOf(price) }))
      .filter(({ token }) => tokens.includes(token))
      .sort((one, other) => tokens.indexOf(one.token) - tokens.indexOf(other.token)),
    proposedSolutions: await readProposals(db, ofOrder),
    executions: executions.map((row) => ({
      auctionId,
      executedFee: amountOf(row.executedFee),
      executedFeeToken: hexOf(row.executedFeeToken),
      networkFee: row.networkFee && amountOf(row.networkFee),
      blockNumber: Number(row.blockNumber),
      protocolFees: row.protocolFeeTokens.map((token, index) => ({
        token: hexOf(token),
        amount: amountOf(row.protocolFeeAmounts[index] as Parameters<typeof amountOf>[0]),
      })),
    })),
    settlementAttempts: attempts.map((row) => ({
      auctionId,
      solutionUid: row.solutionUid,
      solver: hexOf(row.solver),
      startTimestamp: row.startedAt,
      startBlock: Number(row.startBlock),
      deadlineBlock: Number(row.deadlineBlock),
      txHash: row.txHash && hexOf(row.txHash),
      endTimestamp: row.endedAt,
      endBlock: row.endBlock === null ? null : Number(row.endBlock),
      outcome: row.outcome,
    })),
    feePolicies: policies.map(toPolicy),
  }
}

async function readProposals(db: Database, ofOrder: { orderId: bigint; auctionId: bigint }) {
  const client = sql(db)
  const proposals = await client.solutionExecution.findMany({
    where: ofOrder,
    orderBy: { solutionUid: 'asc' },
  })
  return Promise.all(
    proposals.map(async ({ auctionId, solutionUid: uid, executedSell, executedBuy }) => {
      const row = await client.solution.findUniqueOrThrow({ where: { auctionId_uid: { auctionId, uid } } })
      return {
        auctionId,
        uid,
        ranking: row.ranking,
        solver: hexOf(row.solver),
        isWinner: row.isWinner,
        filteredOut: row.filteredOut,
        score: amountOf(row.score),
        referenceScore: row.referenceScore && amountOf(row.referenceScore),
        executedSell: amountOf(executedSell),
        executedBuy: amountOf(executedBuy),
      }
    }),
  )
}

function toPolicy({ kind, factor, maxVolumeFactor }: PolicyRow): FeePolicy {
  const policy = { kind, factor: BigInt(factor) }
  return (
    maxVolumeFactor === null ? policy : { ...policy, maxVolumeFactor: BigInt(maxVolumeFactor) }
  ) as FeePolicy
}

function toTrade({ orderId: _, ...row }: TradeRow): Trade {
  const hex = (column: Uint8Array): Hex => hexOf(column)
  return {
    chainId: row.chainId,
    blockNumber: Number(row.blockNumber),
    logIndex: row.logIndex,
    orderUid: hex(row.orderUid),
    owner: hex(row.owner),
    sellToken: hex(row.sellToken),
    buyToken: hex(row.buyToken),
    sellAmount: amountOf(row.sellAmount),
    buyAmount: amountOf(row.buyAmount),
    feeAmount: amountOf(row.feeAmount),
    txHash: hex(row.txHash),
    auctionId: row.auctionId,
  }
}
