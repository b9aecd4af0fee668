const token = '{ address symbol decimals }'
const price = '{ numerator denominator }'
const solution = 'solutionUid ranking solver isWinner filteredOut score executedSell executedBuy'
const attempt =
  'solutionUid startTimestamp startBlock deadlineBlock endTimestamp endBlock outcome detail txHash replacedBlock'

const reason =
  'code summary advice evidence { __typename ... on PriceEvidence { gapSeenAt } ... on ValidityEvidence { until offeredUntil } }'

/** Documents of an order's page. */
export const documents = {
  order: `query ($uid: OrderUid!) {
    order(uid: $uid) {
      uid status kind class partiallyFillable owner effectiveReceiver signingScheme fullAppData
      creationDate validFrom validTo sellAmount buyAmount
      executedFraction executedSellAmount executedBuyAmount executedFee executedFeeToken ${token}
      sellToken ${token} buyToken ${token} limitPrice ${price} executedPrice ${price}
      surplus { amount token ${token} }
      network { name explorerUrl settlementContract vaultRelayer }
      standing { isInAuctions reason since marketGap }
      pendingSettlements { auctionId deadlineBlock txHash }
      events(last: 100) { pageInfo { hasPreviousPage } nodes { label reason detail timestamp source txHash replacedBy { uid } } }
      trades(first: 20) { pageInfo { hasNextPage } nodes { blockNumber logIndex txHash auctionId sellAmount buyAmount executedProtocolFees { amount token ${token} } } }
      hooks { phase target calls { outcome unknownReason reason txHash } }
      debugReport { auctions(last: 10) { pageInfo { hasPreviousPage } nodes { auctionId block executions { networkFee } proposedSolutions { ${solution} } settlementAttempts { ${attempt} } } } }
    }
  }`,
  orderPrices: `query ($uid: OrderUid!) { order(uid: $uid) { marketPrices(first: 500) { nodes { at price ${price} } } } }`,
  orderDiagnosis: `query ($uid: OrderUid!) { order(uid: $uid) { diagnosis { ${reason} since further { ${reason} } } } }`,
  followOrder:
    'subscription ($uid: OrderUid!, $after: String) { orderEvents(uid: $uid, after: $after) { eventId isRemoved event { label reason detail timestamp source txHash replacedBy { uid } } } }',
} as const
