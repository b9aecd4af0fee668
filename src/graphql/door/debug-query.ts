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
        events { label reason timestamp }
        auctions {
          id
          nativePrices { token price }
          proposedSolutions { ranking solver isWinner score executedSell executedBuy }
          settlementAttempts { outcome startBlock endBlock }
          executions { executedFee protocolFees { token amount } }
        }
        trades { blockNumber txHash sellAmount buyAmount }
      }
    }
  }
}
`
