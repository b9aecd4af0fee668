/** Documents of the list of tokens. */
export const documents = {
  listedTokens:
    'query ($network: NetworkName!, $search: String, $first: Int, $last: Int, $after: String, $before: String) { coin: token(address: "-", network: $network) { symbol decimals } network(name: $network) { name tokens(search: $search, first: $first, last: $last, after: $after, before: $before) { pageInfo { hasNextPage hasPreviousPage startCursor endCursor } nodes { address symbol name decimals lastAuctionPrice } } } }',
} as const
