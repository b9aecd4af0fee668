import { graphInput, graphQuoteInput } from '../fakes/graph-input.ts'

/** One operation of the interface, as a client requests it over REST or GraphQL. */
export interface Ask {
  rest: { method: string; path: string; body?: unknown }
  graphql: { query: string; variables: Record<string, unknown> }
}

type Json = Record<string, unknown>

export function quoting(body: Json): Ask {
  return {
    rest: { method: 'POST', path: '/sepolia/api/v1/quote', body },
    graphql: {
      query: 'mutation ($input: QuoteInput!) { quote(input: $input) { quoteId } }',
      variables: { input: { network: 'sepolia', ...graphQuoteInput(body) } },
    },
  }
}

export function placing(body: Json): Ask {
  return {
    rest: { method: 'POST', path: '/sepolia/api/v1/orders', body },
    graphql: {
      query: 'mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { order { uid } } }',
      variables: { input: { network: 'sepolia', ...graphInput(body) } },
    },
  }
}

export function tokenPrice(chain: string, token: string): Ask {
  return {
    rest: { method: 'GET', path: `/${chain}/tokens/${token}/usdPrice` },
    graphql: {
      query: `query ($chain: NetworkName!, $token: TokenAddress!) {
        token(network: $chain, address: $token) { usdPrice { price source asOf age isStale } }
      }`,
      variables: { chain, token },
    },
  }
}

export function topHolders(chain: string, token: string): Ask {
  return {
    rest: { method: 'GET', path: `/${chain}/tokens/${token}/topHolders` },
    graphql: {
      query: `query ($chain: NetworkName!, $token: TokenAddress!) {
        token(network: $chain, address: $token) { holders(first: 100) { edges { node { address balance } } } }
      }`,
      variables: { chain, token },
    },
  }
}

export function notifications(account: string): Ask {
  return {
    rest: { method: 'GET', path: `/accounts/${account}/notifications` },
    graphql: {
      query: `query ($account: Address!) {
        account(address: $account) {
          latestNotifications(first: 100) { id: notificationId account type message timestamp metadata }
        }
      }`,
      variables: { account },
    },
  }
}

/** `path`: the wallet in the path, where it is another than the one in the body. GraphQL has no path. */
export function registering(body: Json, path = String(body.walletAddress)): Ask {
  return {
    rest: { method: 'POST', path: `/affiliate/${path}/`, body },
    graphql: {
      query: `mutation ($input: RegisterAffiliateInput!) {
        registerAffiliate(input: $input) { affiliate { code createdAt } }
      }`,
      variables: { input: body },
    },
  }
}

export function debugReport(uid: string): Ask {
  return {
    rest: { method: 'GET', path: `/sepolia/api/v1/debug/order/${uid}` },
    graphql: {
      query: `query ($uid: OrderUid!) {
        order(network: "sepolia", uid: $uid) {
          debugReport {
            orderUid
            events { nodes { label timestamp reason } }
            auctions { nodes { id: auctionId block deadline proposedSolutions { solutionUid ranking isWinner } } }
            trades { nodes { blockNumber logIndex txHash } }
          }
        }
      }`,
      variables: { uid },
    },
  }
}
