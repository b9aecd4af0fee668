/** Documents of the list of trades. */
export const documents = {
  listedTrades:
    'query ($network: NetworkName, $owner: Address, $orderUid: OrderUid, $first: Int, $last: Int, $after: String, $before: String) { trades(network: $network, owner: $owner, orderUid: $orderUid, first: $first, last: $last, after: $after, before: $before) { pageInfo { hasNextPage hasPreviousPage startCursor endCursor } nodes { orderUid owner blockNumber logIndex timestamp txHash auctionId sellAmount buyAmount sellToken { address symbol decimals } buyToken { address symbol decimals } order { network { name explorerUrl } } } } }',
} as const
