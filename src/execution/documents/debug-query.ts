/** GraphiQL's first query, also in the README. Needs no UID, so that it runs unchanged. */
export const debugQuery = `# Everything that happened to the newest order, and why.
query NewestOrder {
  orders(first: 1) {
    nodes {
      uid
      status
      sellToken { symbol decimals }
      buyToken { symbol decimals }
      debugReport {
        events { nodes { label reason detail timestamp } }
        auctions {
          nodes {
            auctionId
            nativePrices { token { symbol } price }
            proposedSolutions { ranking solver isWinner score executedSell executedBuy }
            settlementAttempts { outcome detail startBlock endBlock }
            executions { executedFee protocolFees { token { symbol } amount } }
          }
        }
        trades { nodes { blockNumber txHash sellAmount buyAmount } }
      }
    }
  }
}
`
