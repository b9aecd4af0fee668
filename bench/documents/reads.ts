/** The reads that pages and support make most. */
export const reads = {
  debug: `query DebugReport($uid: OrderUid!) {
  order(uid: $uid) {
    uid owner receiver status kind class partiallyFillable signingScheme signature appData fullAppData
    sellToken { address symbol decimals }
    buyToken { address symbol decimals }
    sellAmount buyAmount feeAmount validTo creationDate
    executedSellAmount executedBuyAmount executedFee executedFeeToken { address }
    quote { gasAmount gasPrice sellTokenPrice sellAmount buyAmount feeAmount solver verified }
    debugReport {
      events(first: 20) { nodes { label reason timestamp } }
      auctions(first: 20) { nodes {
        auctionId block deadline
        nativePrices { token { address } price }
        proposedSolutions { solutionUid ranking solver isWinner filteredOut score executedSell executedBuy }
        executions { executedFee executedFeeToken { address } blockNumber protocolFees { token { address } amount } }
        settlementAttempts {
          solver solutionUid startTimestamp startBlock deadlineBlock endTimestamp endBlock outcome
        }
        feePolicies {
          __typename
          ... on SurplusFeePolicy { factor maxVolumeFactor }
          ... on VolumeFeePolicy { factor }
          ... on PriceImprovementFeePolicy { factor maxVolumeFactor }
        }
      } }
      trades(first: 20) { nodes { blockNumber logIndex owner sellAmount buyAmount txHash auctionId } }
    }
  }
}`,
  order: `query Order($uid: OrderUid!) {
  order(uid: $uid) {
    uid owner receiver kind status sellAmount buyAmount executedSellAmount executedBuyAmount validTo creationDate
    signingScheme partiallyFillable
  }
}`,
  diagnosis: `query Diagnosis($uid: OrderUid!) {
  order(uid: $uid) {
    uid diagnosis { ...reason further { ...reason } }
  }
}
fragment reason on Diagnosed { code summary since retryable advice evidence { __typename } }`,
  account: `query Account($owner: Address!) {
  orders(owner: $owner, first: 20) {
    nodes {
      uid owner kind status sellAmount buyAmount executedSellAmount executedBuyAmount validTo creationDate
      sellToken { address symbol decimals }
      buyToken { address symbol decimals }
      trades(first: 20) { nodes { blockNumber logIndex sellAmount buyAmount txHash } }
    }
  }
}`,
}

export type Reads = typeof reads
