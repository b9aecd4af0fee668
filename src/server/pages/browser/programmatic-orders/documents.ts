import { listedProgrammatic } from '../view/programmatic.ts'

/** Documents of the list of programmatic orders. */
export const documents = {
  listedProgrammaticOrders: `query ($network: NetworkName, $owner: Address, $account: Address, $type: ProgrammaticOrderType, $status: [ProgrammaticOrderStatus!], $first: Int, $last: Int, $after: String, $before: String) { programmaticOrders(network: $network, owner: $owner, resolvedOwner: $account, type: $type, status: $status, first: $first, last: $last, after: $after, before: $before) { pageInfo { hasNextPage hasPreviousPage startCursor endCursor } nodes { ${listedProgrammatic} } } }`,
} as const
