const token = '{ address symbol decimals }'
const price = '{ numerator denominator }'
const solution = 'solutionUid ranking solver isWinner filteredOut score executedSell executedBuy'
const attempt =
  'solutionUid startTimestamp startBlock deadlineBlock endTimestamp endBlock outcome detail txHash replacedBlock'

const reason =
  'code summary advice evidence { __typename ... on PriceEvidence { gapPercent gapSeenAt } ... on ValidityEvidence { until offeredUntil } }'

/** Documents of an order's page. */
export const documents = {
  order: `query ($uid: OrderUid!) {
    order(uid: $uid) {
      uid status kind class partiallyFillable owner receiver effectiveReceiver onchainUser signingScheme appDataHash fullAppData
      creationDate validFrom validTo sellAmount buyAmount feeAmount sellTokenBalance buyTokenBalance
      executedFraction executedSellAmount executedSellAmountBeforeFees executedBuyAmount executedFeeAmount executedFee executedFeeToken ${token}
      sellToken ${token} buyToken ${token} limitPrice ${price} quote { sellAmount buyAmount feeAmount }
      network { name isTest chainId explorerUrl settlementContract vaultRelayer }
      programmaticOrder { id type partCount startsAt input { ... on TwapInput { t } } }
      pendingSettlements { auctionId deadlineBlock txHash }
      events(last: 100) { pageInfo { hasPreviousPage } nodes { label reason detail timestamp source txHash replacedBy { uid } } }
      trades(first: 20) { isComplete pageInfo { hasNextPage } nodes {
        blockNumber logIndex timestamp txHash auctionId sellAmount sellAmountBeforeFees buyAmount executedProtocolFees { amount token ${token} }
        execution { executedFee networkFee } nativePrices { price token { address } }
      } }
      hooks { phase target gasLimit calls { outcome unknownReason reason gasUsed txHash } }
      debugReport { auctions(last: 10) { isComplete pageInfo { hasPreviousPage } nodes { auctionId block proposedSolutions { ${solution} } settlementAttempts { ${attempt} } } } }
    }
  }`,
  orderPrices: `query ($uid: OrderUid!) { order(uid: $uid) { marketPrices(first: 500) { nodes { at price ${price} } } } }`,
  orderValues:
    'query ($uid: OrderUid!) { order(uid: $uid) { sellToken { usdPrice { price asOf source } } buyToken { usdPrice { price asOf source } } } }',
  orderDiagnosis: `query ($uid: OrderUid!) { order(uid: $uid) { diagnosis { ${reason} since further { ${reason} } } } }`,
  cancelOrder:
    'mutation ($input: CancelOrdersInput!) { cancelOrders(input: $input) { orders { invalidated pendingSettlements { txHash } } } }',
  followOrder:
    'subscription ($uid: OrderUid!, $after: String) { orderEvents(uid: $uid, after: $after) { eventId isRemoved event { label reason detail timestamp source txHash replacedBy { uid } } } }',
} as const
