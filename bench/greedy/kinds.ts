import { getAddress } from 'ethers'
import { getIntrospectionQuery } from 'graphql'
import { address } from '../../src/domain/evm/address.ts'
import { wrapSignature } from '../../test/chain/undeployed.ts'
import { createMessage } from '../../test/setup/session.ts'
import { shape } from '../database/shape.ts'
import { get, post } from '../load/question.ts'

/** The requests of a greedy client, as raw text. */
export interface Kind {
  name: (typeof kindNames)[number]
  title: string
  /** The status of answers; 200 if left out. */
  status?: number
  /** Reads what the requests need from the program at `url`. */
  prepare?(url: string): Promise<void>
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
  chainId: number
  account: string
  sellToken: string
  buyToken: string
}

/** The number of contracts that use up all gas that they get, and of tokens that use nearly all of it. */
export const burnerCounts = { accounts: 8, tokens: 3_000 }
const numberedAddress = (prefix: string) => (index: number) =>
  address(`0x${prefix}${index.toString(16).padStart(38, '0')}`)
export const burnerAccount = numberedAddress('b0')
export const burnerToken = numberedAddress('b1')

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
  'node-orders',
  'node-tokens',
  'node-sign-in',
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
  const transaction = { from: market.account, to: burnerAccount(0), input: '0x', gas: 15_000_000 }
  const hook = { target: burnerAccount(0), callData: '0x', gasLimit: '6000000' }
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
    {
      name: 'node-orders',
      title: 'orders of contract wallets that use 1 million gas and refuse the signature',
      status: 400,
      next: () => post(`/${market.network}/api/v1/orders`, JSON.stringify(refusedOrder(market))),
    },
    {
      name: 'node-tokens',
      title: 'quotes of new tokens whose trials use 10 million gas',
      status: 400,
      next: () => quote({ ...market, buyToken: burnerToken(tokens++ % burnerCounts.tokens) }),
    },
    signIns(market),
  ]
}

let tokens = 0
let orders = 0

function refusedOrder({ sellToken, buyToken }: NodeSubjects) {
  return {
    ...{ sellToken, buyToken, receiver: null, kind: 'sell', partiallyFillable: false, appData: '{}' },
    ...{ sellAmount: '1000000', buyAmount: '1', feeAmount: '0' },
    validTo: Math.floor(Date.now() / 1_000) + 1_200,
    from: burnerAccount(orders++ % burnerCounts.accounts),
    ...{ signingScheme: 'eip1271', signature: '0x1234' },
  }
}

/** Returns sign-ins by accounts that are not deployed; a refused one does not use up its nonce. */
function signIns({ chainId }: NodeSubjects): Kind {
  let bodies: string[] = []
  let count = 0
  return {
    name: 'node-sign-in',
    title: 'sign-ins by accounts that use 5 million gas and refuse the signature',
    status: 401,
    async prepare(url) {
      const accounts = Array.from({ length: burnerCounts.accounts }, (_, index) => burnerAccount(index))
      bodies = await Promise.all(
        accounts.map(async (account) => {
          const issuedAt = new Date().toISOString()
          const message = await createMessage(url, { address: getAddress(account), chainId, issuedAt })
          return JSON.stringify({ message, signature: wrapSignature(account, '0x00', '0x1234') })
        }),
      )
    },
    next: () => post('/sessions', bodies[count++ % bodies.length] ?? ''),
  }
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
