/** What GraphiQL opens on: needs no UID, so that it answers as it stands. The README shows it too. */
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
