/** The documents under test, and their equivalents for PostGraphile's schema. */
export interface Documents {
  debug: string
  order: string
  diagnosis: string
  account: string
}

/** The documents for the present schema; `fitToSchema` derives those for an older one. */
export const documents: Documents = {
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
          kind surplusFactor surplusMaxVolumeFactor volumeFactor priceImprovementFactor priceImprovementMaxVolumeFactor
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

/**
 * Equivalents for PostGraphile. Bytes are base64 here and policies have two columns for their factors; an
 * order's status and its tokens' prices are SQL functions (see `postgraphile.ts`), PostGraphile's way to get
 * such fields.
 */
export const postgraphileDocuments: Omit<Documents, 'diagnosis'> = {
  debug: `query DebugReport($chainId: Int!, $uid: Base64EncodedBinary!) {
  order: orderByChainIdAndUid(chainId: $chainId, uid: $uid) {
    uid owner receiver status kind class partiallyFillable signingScheme signature appData document { document }
    sells { address symbol decimals }
    buys { address symbol decimals }
    sellAmount buyAmount feeAmount validTo createdAt
    executedSell executedBuy executedFee executedFeeToken
    quote { gasAmount gasPrice sellTokenPrice sellAmount buyAmount feeAmount solver verified }
    eventsList(orderBy: [TIMESTAMP_ASC, ROW_ID_ASC]) { label reason timestamp }
    auctionsList(orderBy: AUCTION_ID_ASC) {
      auction {
        rowId block deadlineBlock
        attemptsList(orderBy: [STARTED_AT_ASC, SOLUTION_UID_ASC]) {
          solver solutionUid startedAt startBlock deadlineBlock endedAt endBlock outcome
        }
      }
      nativePricesList { token price }
      proposalsList(orderBy: SOLUTION_UID_ASC) {
        solutionUid executedSell executedBuy
        solution { ranking solver isWinner filteredOut score }
      }
      execution { executedFee executedFeeToken blockNumber protocolFeeTokens protocolFeeAmounts }
      policiesList(orderBy: POSITION_ASC) { kind factor maxVolumeFactor }
    }
    tradesList(orderBy: [BLOCK_NUMBER_DESC, LOG_INDEX_DESC]) {
      blockNumber logIndex owner sellAmount buyAmount txHash auctionId
    }
  }
}`,
  order: `query Order($chainId: Int!, $uid: Base64EncodedBinary!) {
  order: orderByChainIdAndUid(chainId: $chainId, uid: $uid) {
    uid owner receiver kind status sellAmount buyAmount executedSell executedBuy validTo createdAt
    signingScheme partiallyFillable
  }
}`,
  account: `query Account($chainId: Int!, $owner: Base64EncodedBinary!) {
  orders: allOrdersList(condition: { chainId: $chainId, owner: $owner }, orderBy: [CREATED_AT_DESC, ROW_ID_DESC], first: 20) {
    uid owner kind status sellAmount buyAmount executedSell executedBuy validTo createdAt
    sells { address symbol decimals }
    buys { address symbol decimals }
    tradesList(orderBy: [BLOCK_NUMBER_DESC, LOG_INDEX_DESC]) { blockNumber logIndex sellAmount buyAmount txHash }
  }
}`,
}
