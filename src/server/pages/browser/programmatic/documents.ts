import { listedOrder } from '../view/orders.ts'
import { programmaticTerms } from '../view/programmatic.ts'

const part = `{
  index uid validFrom validTo sellAmount buyAmount status
  order { uid status executedFraction executedSellAmount executedBuyAmount }
}`

/** Documents of a programmatic order's page. */
export const documents = {
  programmaticOrder: `query ($id: ID!) {
    programmaticOrder(id: $id) {
      id hash owner resolvedOwner handler status statusReason creationDate removedAt
      partCount startsAt endsAt filledParts executedSellAmount executedBuyAmount decodeError
      diagnosis { text }
      network { name isTest explorerUrl }
      creations(first: 1) { nodes { txHash } }
      ${programmaticTerms}
      input { ... on TwapInput { t span } }
      nextPart ${part}
      orders(first: 20) { pageInfo { hasNextPage } nodes { ${listedOrder} } }
    }
  }`,
  programmaticParts: `query ($id: ID!, $first: Int!, $after: String) {
    programmaticOrder(id: $id) { parts(first: $first, after: $after) { pageInfo { endCursor hasNextPage } nodes ${part} } }
  }`,
} as const
