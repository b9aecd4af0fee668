/** One operation of the interface, as a client of either door asks it. */
export interface Ask {
  rest: { method: string; path: string; body?: unknown }
  graphql: { query: string; variables: Record<string, unknown> }
}

type Json = Record<string, unknown>

const enumMembers = ['kind', 'sellTokenBalance', 'buyTokenBalance', 'signingScheme', 'priceQuality'] as const

/** The graph has enums in capitals, and no member that is undefined. */
function toInput(body: Json): Json {
  const words: Json = { presignaturePending: 'PRESIGNATURE_PENDING' }
  const shouted = enumMembers.flatMap((name) =>
    typeof body[name] === 'string' ? [[name, words[name] ?? String(body[name]).toUpperCase()]] : [],
  )
  return { ...body, ...Object.fromEntries(shouted) }
}

export function quoting(body: Json): Ask {
  return {
    rest: { method: 'POST', path: '/sepolia/api/v1/quote', body },
    graphql: {
      query: `mutation ($input: QuoteInput!) { quote(network: "sepolia", input: $input) { id } }`,
      variables: { input: toInput(body) },
    },
  }
}

export function placing(body: Json): Ask {
  return {
    rest: { method: 'POST', path: '/sepolia/api/v1/orders', body },
    graphql: {
      query: `mutation ($order: OrderInput!) { placeOrder(network: "sepolia", order: $order) { uid } }`,
      variables: { order: toInput(body) },
    },
  }
}

export function tokenPrice(chain: string, token: string): Ask {
  return {
    rest: { method: 'GET', path: `/${chain}/tokens/${token}/usdPrice` },
    graphql: {
      query: `query ($chain: String!, $token: TokenAddress!) {
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
      query: `query ($chain: String!, $token: TokenAddress!) {
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

/** `path`: the wallet in the path, where it is another than the one in the body. The graph has no path. */
export function registering(body: Json, path = String(body.walletAddress)): Ask {
  return {
    rest: { method: 'POST', path: `/affiliate/${path}/`, body },
    graphql: {
      query: `mutation ($input: AffiliateInput!) {
        registerAffiliate(input: $input) { code createdAt }
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
            events { label timestamp reason }
            auctions { id block deadline proposedSolutions { solutionUid ranking isWinner } }
            trades { blockNumber logIndex txHash }
          }
        }
      }`,
      variables: { uid },
    },
  }
}
