import { getIntrospectionQuery } from 'graphql'
import { shape } from '../database/shape.ts'
import { get, post } from '../load/question.ts'

/** The requests of a greedy client, as raw text. */
export interface Kind {
  name: (typeof kindNames)[number]
  title: string
  next(): string
}

/** Subjects in hex. */
export interface KindSubjects {
  owner: string
  uids: readonly string[]
  /** Subjects of a chain whose node executes calls; kinds of the node need it. */
  market?: NodeSubjects | undefined
}

export interface NodeSubjects {
  network: string
  account: string
  sellToken: string
  buyToken: string
  /** A contract that uses up all gas that it gets. */
  burner: string
}

export const kindNames = [
  'introspection',
  'known-introspection',
  'list',
  'notifications',
  'page',
  'by-uids',
  'deep',
  'node-bundles',
  'node-hooks',
] as const

/** Reports whether a kind's requests are work of the node: the other client then requests quotes. */
export const isOfNode = (name: string) => name.startsWith('node-')

const network = shape.network.name
/** The maximum of UIDs in one request. */
export const maxUids = 128

const graphql = (query: string, variables: object = {}) =>
  post('/graphql', JSON.stringify({ query: query.replace(/\s+/g, ' '), variables }))

const notifications = `query ($owner: Address!) {
  account(address: $owner) { latestNotifications(first: 1000) { notificationId account type message timestamp metadata } }
}`

/** A document close to the maximum size, with fields that are computed for each order. */
const deep = `query ($owner: Address!) { account(address: $owner) { orders(first: 800) { nodes {
  uid status executedFraction effectiveReceiver executedSellAmountBeforeFees executedFeeAmount
  sellToken { address symbol name decimals } buyToken { address symbol name decimals }
  quote { gasAmount gasPrice sellAmount buyAmount feeAmount solver verified }
} } } }`

export function greedyKinds({ owner, uids, market }: KindSubjects): Kind[] {
  const introspection = getIntrospectionQuery().replace('query IntrospectionQuery', 'query')
  let count = 0
  return [
    {
      name: 'introspection',
      title: 'introspection, each time another document',
      next: () => graphql(introspection.replace('query', `query New${count++}`)),
    },
    {
      name: 'known-introspection',
      title: 'introspection, the same document',
      next: () => graphql(introspection),
    },
    {
      name: 'list',
      title: 'orders?limit=1000 over REST',
      next: () => get(`/${network}/api/v1/account/${owner}/orders?limit=1000`),
    },
    {
      name: 'notifications',
      title: 'latestNotifications(first: 1000)',
      next: () => graphql(notifications, { owner }),
    },
    {
      name: 'page',
      title: 'the GraphiQL page',
      next: () => get('/graphql').replace('application/json', 'text/html'),
    },
    {
      name: 'by-uids',
      title: `by_uids of ${maxUids}`,
      next: () => post(`/${network}/api/v1/orders/by_uids`, JSON.stringify(uids)),
    },
    { name: 'deep', title: '800 orders with tokens and quotes', next: () => graphql(deep, { owner }) },
    ...(market ? nodeKinds(market) : []),
  ]
}

function nodeKinds(market: NodeSubjects): Kind[] {
  const transaction = { from: market.account, to: market.burner, input: '0x', gas: 15_000_000 }
  const hook = { target: market.burner, callData: '0x', gasLimit: '6000000' }
  return [
    {
      name: 'node-bundles',
      title: 'bundles that use 30 million gas',
      next: () =>
        post(`/${market.network}/simulation/simulateBundle`, JSON.stringify([transaction, transaction])),
    },
    {
      name: 'node-hooks',
      title: 'verified quotes with a hook that uses 6 million gas',
      next: () => quote(market, JSON.stringify({ metadata: { hooks: { pre: [hook] } } })),
    },
  ]
}

let quotes = 0

/** Returns a quote request; no amount is quoted twice. */
function quote({ network, account, sellToken, buyToken }: NodeSubjects, appData = '{}'): string {
  const amounts = { kind: 'sell', sellAmountBeforeFee: `${10n ** 18n + BigInt(quotes++)}` }
  const body = { sellToken, buyToken, from: account, priceQuality: 'verified', appData, ...amounts }
  return post(`/${network}/api/v1/quote`, JSON.stringify(body))
}

/** The other client's request of the node. */
export const modestQuote = (market: NodeSubjects) => ({ request: quote(market), expect: '"verified":true' })

/** The other client's request: one order. */
export function modestRequest(uid: string): string {
  const query =
    'query ($uid: OrderUid!) { order(uid: $uid) { uid owner kind status sellAmount buyAmount validTo creationDate } }'
  return graphql(query, { uid })
}
