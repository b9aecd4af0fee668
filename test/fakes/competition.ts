import { toSettlementPlan } from '../../src/auctions/settlement-calldata.ts'
import type { DecodedSettlement } from '../../src/chain/settlement/call.ts'
import type { RankedSolution } from '../../src/domain/auction/solution.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import type { FeePolicy, Fill } from '../../src/domain/fee/policy.ts'
import type { Order } from '../../src/domain/order/order.ts'
import { insertCompetition, startAttempt } from '../../src/storage/auction/competition.ts'
import type { Database } from '../../src/storage/database/database.ts'
import { dollar, sampleAuction, wrapped } from './order.ts'

/** One wrapped native is 3,000 dollars, in a token of 6 decimals. */
const prices = new Map([
  [wrapped, 3_000n * 10n ** 6n],
  [dollar, 10n ** 18n],
])

interface SampleCompetition {
  id: bigint
  solver: Address
  fills: { order: Order; fill: Fill }[]
  feePolicies?: FeePolicy[]
  deadlineBlock?: number
}

/**
 * Stores an auction with one winning solution and its running attempt.
 * @returns the settlement of its calldata
 */
export async function storeCompetition(db: Database, sample: SampleCompetition): Promise<DecodedSettlement> {
  const { id, solver, fills, feePolicies = [], deadlineBlock = 100 } = sample
  const orders = fills.map(({ order }) => ({ order, remaining: order.sellAmount, feePolicies, extraGas: 0n }))
  const auction = { ...sampleAuction(orders), id, deadlineBlock }
  const solution: RankedSolution = {
    solver,
    proposal: { prices, trades: [], interactions: [], gas: 0n },
    executions: fills.map(({ order, fill }) => ({
      orderUid: order.uid,
      ...fill,
      networkFee: 0n,
      feeSide: 'sell',
      protocolFees: [],
    })),
    score: 1n,
    pairScores: new Map(),
    uid: 0,
    ranking: 1,
    isWinner: true,
    filteredOut: false,
    referenceScore: 0n,
  }
  await db.transaction(async (tx) => {
    await insertCompetition(tx, auction, [solution])
    const attempt = { auctionId: id, solutionUid: 0, chainId: auction.chainId, solver }
    await startAttempt(tx, { ...attempt, startedAt: new Date(0), startBlock: 1, deadlineBlock })
  })
  const plan = toSettlementPlan(auction, solution, wrapped)
  return {
    auctionId: id,
    tokens: plan.tokens,
    clearingPrices: plan.clearingPrices,
    trades: plan.trades.map(({ order, sellTokenIndex, buyTokenIndex, executedAmount }) => ({
      order,
      indices: { sell: sellTokenIndex, buy: buyTokenIndex },
      signingScheme: order.signingScheme,
      signature: order.signature,
      owner: null,
      executedAmount,
    })),
  }
}
