/** Documents of the list of orders. */
export const documents = {
  listedOrders:
    'query ($network: NetworkName, $owner: Address, $filter: OrderFilter, $first: Int, $last: Int, $after: String, $before: String) { orders(network: $network, owner: $owner, filter: $filter, first: $first, last: $last, after: $after, before: $before) { pageInfo { hasNextPage hasPreviousPage startCursor endCursor } nodes { uid status kind owner creationDate sellAmount buyAmount executedFraction sellToken { address symbol decimals } buyToken { address symbol decimals } network { name } } } }',
} as const
