const token = '{ address symbol decimals }'

/** Documents of an auction's page. */
export const documents = {
  auction: `query ($id: SafeInt!, $network: NetworkName!) {
    coin: token(address: "-", network: $network) ${token}
    auction(id: $id, network: $network) {
      auctionId block deadline createdAt isFinished orderCount hasAllOrderUids hasAllSettlements
      network { name isTest explorerUrl }
      orders(first: 50) { nodes { uid kind status sellAmount buyAmount sellToken ${token} buyToken ${token} } }
      nativePrices { price token ${token} }
      solutions {
        solutionUid ranking solver isWinner filteredOut score referenceScore txHash
        orders { orderUid executedSell executedBuy sellToken ${token} buyToken ${token} order { kind sellAmount buyAmount } }
      }
      settlementAttempts { solutionUid solver startTimestamp endTimestamp startBlock endBlock outcome detail txHash }
      settlements { solutionUid blockNumber txHash gasCost trades { orderUid sellAmount buyAmount sellToken ${token} buyToken ${token} } }
    }
  }`,
  followAuctions:
    'subscription ($network: NetworkName!) { auctions(network: $network) { auction { auctionId } } }',
} as const
