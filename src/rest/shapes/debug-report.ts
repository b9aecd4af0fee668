import { type OrderResult, wholeOrderFields, writeOrder } from './order.ts'
import { present } from './present.ts'

export const debugReportFields = `
  orderUid
  order { ${wholeOrderFields} }
  events { label timestamp reason }
  auctions {
    id block deadline
    nativePrices { token price }
    proposedSolutions { solutionUid ranking solver isWinner filteredOut score executedSell executedBuy }
    executions { executedFee executedFeeToken blockNumber protocolFees { token amount } }
    settlementAttempts {
      solver solutionUid startTimestamp startBlock deadlineBlock endTimestamp endBlock outcome
    }
    feePolicies {
      kind surplusFactor surplusMaxVolumeFactor volumeFactor priceImprovementFactor priceImprovementMaxVolumeFactor
    }
  }
  trades { blockNumber logIndex buyAmount sellAmount sellAmountBeforeFees txHash auctionId }
`

interface AuctionResult {
  nativePrices: { token: string; price: string }[]
  settlementAttempts: { endTimestamp: string | null; endBlock: number | null; outcome: string | null }[]
  feePolicies: Record<string, unknown>[]
}

export interface DebugReportResult {
  orderUid: string
  order: OrderResult
  events: { label: string; timestamp: string; reason: string | null }[]
  auctions: AuctionResult[]
  trades: { txHash: string | null; auctionId: number | null }[]
}

/** Lists are always there; what is not known inside their items is left out. */
export function writeDebugReport({ orderUid, order, events, auctions, trades }: DebugReportResult) {
  return {
    orderUid,
    order: writeOrder(order),
    events: events.map(({ label, timestamp, reason }) => ({ label, timestamp, ...present({ reason }) })),
    auctions: auctions.map(({ nativePrices, settlementAttempts, feePolicies, ...same }) => ({
      ...same,
      nativePrices: Object.fromEntries(nativePrices.map(({ token, price }) => [token, price])),
      settlementAttempts: settlementAttempts.map(({ endTimestamp, endBlock, outcome, ...attempt }) => ({
        ...attempt,
        ...present({ endTimestamp, endBlock, outcome }),
      })),
      feePolicies: feePolicies.map((policy) => present(policy)),
    })),
    trades: trades.map(({ txHash, auctionId, ...trade }) => ({
      ...trade,
      ...present({ txHash, auctionId }),
    })),
  }
}
