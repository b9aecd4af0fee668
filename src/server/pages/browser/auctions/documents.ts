/** Documents of the list of auctions. */
export const documents = {
  listedAuctions:
    'query ($network: NetworkName!, $first: Int, $last: Int, $after: String, $before: String) { auctions(network: $network, first: $first, last: $last, after: $after, before: $before) { pageInfo { hasNextPage hasPreviousPage startCursor endCursor } nodes { auctionId block deadline orderUids transactionHashes network { name } } } }',
} as const
