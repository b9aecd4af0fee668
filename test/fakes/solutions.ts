import type { RankedSolution } from '../../src/domain/auction/solution.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import type { Bytes32 } from '../../src/domain/evm/hex.ts'
import type { Order } from '../../src/domain/order/order.ts'
import { insertCompetition } from '../../src/storage/auction/competition.ts'
import { insertChainFacts, moveCheckpoint } from '../../src/storage/chain/indexed-logs.ts'
import type { Database } from '../../src/storage/database/database.ts'
import { auctionOrder, sampleAuction, signingDomain } from './order.ts'

const { chainId } = signingDomain

export interface SampleSolution {
  solver: Address
  score: bigint
  isWinner?: boolean
  filteredOut?: boolean
  referenceScore?: bigint
  fills: { order: Order; sell: bigint; buy: bigint }[]
}

/** A competition of many solutions, best first, over orders that are stored; built on block 100. */
interface ContestedAuction {
  id: bigint
  orders: Order[]
  deadlineBlock?: number
  nativePrices?: ReadonlyMap<Address, bigint>
  solutions: SampleSolution[]
}

export async function storeContest(db: Database, contest: ContestedAuction): Promise<void> {
  const { id, orders, deadlineBlock = 103, nativePrices } = contest
  const sample = sampleAuction(orders.map((order) => auctionOrder(order)))
  const auction = { ...sample, id, deadlineBlock, nativePrices: nativePrices ?? sample.nativePrices }
  const ranking = contest.solutions.map(
    ({ fills, isWinner = false, filteredOut = false, referenceScore = null, ...solution }, uid) => ({
      ...solution,
      isWinner,
      filteredOut,
      referenceScore,
      uid,
      ranking: uid + 1,
      pairScores: new Map(),
      proposal: { prices: new Map(), trades: [], interactions: [], gas: 0n },
      executions: fills.map(({ order: { uid: orderUid }, sell, buy }) => ({
        orderUid,
        sell,
        buy,
        networkFee: 0n,
        feeSide: 'sell',
        protocolFees: [],
      })),
    }),
  )
  await db.transaction((tx) => insertCompetition(tx, auction, ranking as RankedSolution[]))
}

interface SampleSettlement {
  txHash: Bytes32
  blockNumber: number
  /** The index of the settlement's log, which follows those of its trades. */
  logIndex: number
  auctionId: bigint | null
  solutionUid?: number
  solver: Address
  trades: { order: Order; sell: bigint; buy: bigint; fee?: bigint }[]
}

/**
 * Writes the rows of the indexer for a settlement: its log, its trades, and executions if the auction is
 * known.
 */
export async function storeSettlement(db: Database, settlement: SampleSettlement): Promise<void> {
  const { txHash, blockNumber, logIndex, auctionId, solver, solutionUid = 0 } = settlement
  const place = { blockNumber, txHash }
  const attribution = { auctionId, solutionUid: auctionId === null ? null : solutionUid }
  await db.transaction((tx) =>
    insertChainFacts(tx, chainId, {
      settlements: [{ ...place, logIndex, solver, ...attribution }],
      trades: settlement.trades.map(({ order, sell, buy, fee = 0n }, index) => ({
        ...place,
        chainId,
        logIndex: logIndex - settlement.trades.length + index,
        orderId: order.id,
        orderUid: order.uid,
        owner: order.owner,
        sellToken: order.sellToken,
        buyToken: order.buyToken,
        sellAmount: sell,
        buyAmount: buy,
        feeAmount: fee,
        auctionId,
      })),
      executions: settlement.trades.flatMap(({ order }) =>
        auctionId === null
          ? []
          : [
              {
                orderId: order.id,
                auctionId,
                executedFee: 0n,
                executedFeeToken: order.sellToken,
                networkFee: 0n,
                feeSide: 'sell',
                blockNumber,
                protocolFees: [],
              },
            ],
      ),
      invalidations: [],
      presignatures: [],
    }),
  )
}

/** Sets the indexer's checkpoint to this block. */
export async function indexedUpTo(db: Database, number: number, before?: number): Promise<void> {
  const hash = (block: number): Bytes32 => `0x${block.toString(16).padStart(64, '0')}` as const
  const from = before === undefined ? null : { number: before, hash: hash(before) }
  await db.transaction((tx) =>
    moveCheckpoint(tx, chainId, { from, to: { number, hash: hash(number) }, at: new Date(0) }),
  )
}
