import type { SpelledStatus } from '../../domain/order/status.ts'

/** What the commands ask a service, and the form of its answers. */

const token = '{ address symbol decimals }'
const evidence = `{ __typename
  ... on AmountsEvidence { needed available missing token ${token} }
  ... on TokenEvidence { token ${token} }
  ... on PoolEvidence { pool }
  ... on PriceEvidence { limit { sellAmount buyAmount } best { sellAmount buyAmount } foundAt foundAtBlock foundBy gapPercent gapSeenAt dayMovementPercent secondsNeeded }
  ... on FeeEvidence { fee left leastAmount token ${token} }
  ... on CompetitionEvidence { auctionId solver score winningScore scoreGap refusal }
  ... on BlocksEvidence { number at head }
  ... on TransactionEvidence { txHash block }
  ... on OrderEvidence { uid }
  ... on RevertEvidence { reason }
  ... on HookEvidence { phase target outcome gasLimit gasUsed }
  ... on ValidityEvidence { from until offeredUntil }
  ... on CancellationEvidence { by detail }
}`
const reason = `code summary since retryable advice evidence ${evidence}`
const event = 'label reason detail source txHash timestamp'
const order = `uid status kind owner sellAmount buyAmount executedSellAmount executedBuyAmount validTo partiallyFillable
  sellToken ${token} buyToken ${token} network { name }`

export const explainDocument = `query Explain($uid: OrderUid!) {
  order(uid: $uid) {
    ${order}
    diagnosis { ${reason} further { ${reason} } }
    events(last: 100) { nodes { ${event} } pageInfo { hasPreviousPage } }
    debugReport { auctions(last: 20) { nodes { auctionId proposedSolutions { solutionUid } settlementAttempts { solutionUid solver outcome detail txHash startTimestamp endTimestamp } } } }
    trades(first: 100) { nodes { blockNumber txHash sellAmount buyAmount } }
  }
}`

export const diagnosisDocument = `query Diagnosis($uid: OrderUid!) {
  order(uid: $uid) { uid status sellToken ${token} buyToken ${token} diagnosis { ${reason} further { ${reason} } } }
}`

export const watchDocument = `subscription Watch($uid: OrderUid, $owner: Address, $after: String) {
  orderEvents(uid: $uid, owner: $owner, after: $after, snapshot: true) {
    cursor isRemoved event { ${event} } order { ${order} }
  }
}`

export interface TokenAnswer {
  address: `0x${string}`
  symbol: string | null
  decimals: number | null
}

export interface ReasonAnswer {
  code: string
  summary: string
  since: string | null
  retryable: boolean
  advice: string
  evidence: readonly ({ __typename: string } & Record<string, unknown>)[]
}

export interface DiagnosisAnswer extends ReasonAnswer {
  further: readonly ReasonAnswer[]
}

export interface EventAnswer {
  label: string
  reason: string | null
  detail: string | null
  source: string | null
  txHash: string | null
  timestamp: string
}

export interface OrderAnswer {
  uid: string
  status: SpelledStatus
  kind: string
  owner: string
  sellAmount: string
  buyAmount: string
  executedSellAmount: string
  executedBuyAmount: string
  validTo: number
  partiallyFillable: boolean
  sellToken: TokenAnswer
  buyToken: TokenAnswer
  network: { name: string }
}

export interface AttemptAnswer {
  solutionUid: number
  solver: string
  outcome: string | null
  detail: string | null
  txHash: string | null
  startTimestamp: string
  endTimestamp: string | null
}

export interface ExplainedOrder extends OrderAnswer {
  diagnosis: DiagnosisAnswer
  events: { nodes: readonly EventAnswer[]; pageInfo: { hasPreviousPage: boolean } }
  debugReport: {
    auctions: {
      nodes: readonly {
        auctionId: number
        proposedSolutions: readonly { solutionUid: number }[]
        settlementAttempts: readonly AttemptAnswer[]
      }[]
    }
  }
  trades: { nodes: readonly { blockNumber: number; txHash: string; sellAmount: string; buyAmount: string }[] }
}

export interface DiagnosedOrder extends Pick<OrderAnswer, 'uid' | 'status' | 'sellToken' | 'buyToken'> {
  diagnosis: DiagnosisAnswer
}

export interface WatchEntry {
  cursor: string
  isRemoved: boolean
  event: EventAnswer | null
  order: OrderAnswer
}
