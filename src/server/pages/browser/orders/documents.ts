import { listedOrder } from '../view/orders.ts'

/** Documents of the list of orders. */
export const documents = {
  listedOrders: `query ($network: NetworkName, $owner: Address, $filter: OrderFilter, $first: Int, $last: Int, $after: String, $before: String) { orders(network: $network, owner: $owner, filter: $filter, first: $first, last: $last, after: $after, before: $before) { pageInfo { hasNextPage hasPreviousPage startCursor endCursor } nodes { ${listedOrder} owner network { name } } } }`,
} as const
