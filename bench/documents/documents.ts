import type { Subject } from '../database/subjects.ts'

/** One request. A document that the schema of an older checkout does not have is skipped there. */
export interface BenchDocument {
  name: string
  text: string
  variables?: (matter: Matter) => Record<string, unknown>
  /** The expected content of an answer, if not the order's UID. */
  expect?: (matter: Matter) => string
}

/** The subject of a request: an order, its owner, and the related rows of the fill. */
export interface Matter extends Subject {
  /** The last auction that held the order. It settled. */
  auction: number
  transaction: Buffer
  /** The UIDs of ten orders, this one first. */
  uids: Buffer[]
  /** The order's opaque id on the server under test. */
  id: string
}

export const toHex = (bytes: Buffer) => `0x${bytes.toString('hex')}`

const byUid: BenchDocument['variables'] = ({ uid }) => ({ uid: toHex(uid) })

const order = (fields: string) => `query Order($uid: OrderUid!) {
  order(uid: $uid) { ${fields} }
}`

const story = `uid status sellAmount buyAmount
    events(first: 20) { nodes { label reason timestamp } }
    trades(first: 20) { nodes { blockNumber logIndex sellAmount buyAmount txHash } }`
const quote = 'sellAmount buyAmount feeAmount solver verified'
const parts = 'uid kind status sellAmount buyAmount validTo'

/** Returns the same document, with its quote included or not by a variable. */
function quoteIf(d: boolean): BenchDocument {
  const declare = (text: string) => text.replace(')', ', $d: Boolean!)')
  return {
    name: d ? 'quote-included' : 'quote-left-out',
    text: declare(order(`${story} quote @include(if: $d) { ${quote} }`)),
    variables: ({ uid }) => ({ uid: toHex(uid), d }),
  }
}

/** Documents that begin at one order. */
const orderDocuments: readonly BenchDocument[] = [
  {
    name: 'order-story',
    text: order(`${story} quote { ${quote} }`),
    variables: byUid,
  },
  quoteIf(true),
  quoteIf(false),
  {
    name: 'two-orders',
    text: `query Two($uid: OrderUid!, $other: OrderUid!) {
      one: order(uid: $uid) { ${parts} owner receiver }
      other: order(uid: $other) { ${parts} quote { ${quote} } }
    }`,
    variables: ({ uid, uids }) => ({ uid: toHex(uid), other: toHex(uids[1] ?? uid) }),
  },
  {
    name: 'order-auctions',
    text: order(
      'uid auctions(first: 20) { nodes { block settlementAttempts { solver startBlock endBlock startTimestamp } } }',
    ),
    variables: byUid,
  },
  {
    name: 'auctions-page',
    text: order(
      'uid auctions(first: 3) { edges { cursor node { block deadline } } pageInfo { hasNextPage endCursor } }',
    ),
    variables: byUid,
  },
  {
    name: 'nested-arguments',
    text: order(`${parts}
      trades(first: 2) { nodes { blockNumber sellAmount buyAmount } }
      events(first: 3) { nodes { label timestamp } }`),
    variables: byUid,
  },
  {
    name: 'same-list-twice',
    text: order(`uid
      first: events(first: 2) { nodes { label timestamp } }
      all: events(first: 20) { nodes { label } }`),
    variables: byUid,
  },
  {
    name: 'token-of-order',
    text: order('uid sellToken { address symbol name decimals firstTradeBlock }'),
    variables: byUid,
  },
  {
    name: 'order-trades-order',
    text: order(`uid trades(first: 20) { nodes {
      blockNumber logIndex order { uid status events(first: 20) { nodes { label timestamp } } }
    } }`),
    variables: byUid,
  },
  {
    name: 'node',
    text: `query Node($id: ID!) { node(id: $id) { __typename id ... on Order { ${parts} creationDate } } }`,
    variables: ({ id }) => ({ id }),
  },
  {
    name: 'fragments',
    text: `query Fragments($id: ID!) { __typename node(id: $id) { __typename ...Known ... on Account { id } } }
      fragment Known on Node { __typename id ... on Order { ...Parts trades(first: 20) { nodes { ...Trade } } } }
      fragment Parts on Order {
        __typename ${parts} sellToken { ...Words } buyToken { ...Words } quote { __typename ${quote} }
        events(first: 20) { nodes { __typename label reason timestamp } }
      }
      fragment Trade on Trade { __typename blockNumber logIndex sellAmount buyAmount sellToken { ...Words } }
      fragment Words on Token { __typename address symbol decimals }`,
    variables: ({ id }) => ({ id }),
  },
]

const byOwner: BenchDocument['variables'] = ({ owner }) => ({ owner: toHex(owner) })
const ofOwner: BenchDocument['expect'] = ({ owner }) => toHex(owner)

const account = (fields: string) => `query Account($owner: Address!) {
  account(address: $owner) { ${fields} }
}`

const accountParts =
  'uid owner kind status sellAmount buyAmount executedSellAmount executedBuyAmount validTo creationDate'
const swap = 'blockNumber logIndex sellAmount buyAmount txHash'
const token = '{ address symbol decimals }'
const notification = 'type message timestamp metadata'

/** Documents that begin at an account. Its 20 orders have 25 trades and as many notifications. */
const accountDocuments: readonly BenchDocument[] = [
  {
    name: 'account-orders',
    text: account(`orders(first: 20) { nodes {
      ${accountParts} sellToken ${token} buyToken ${token} trades(first: 20) { nodes { ${swap} } }
    } }`),
    variables: byOwner,
    expect: ofOwner,
  },
  {
    name: 'account-trades',
    text: account(
      `trades(first: 20) { nodes { owner orderUid ${swap} sellToken { symbol } buyToken { symbol } } }`,
    ),
    variables: byOwner,
    expect: ofOwner,
  },
  {
    name: 'trades',
    text: `query Trades($owner: Address!) { trades(owner: $owner, first: 20) { nodes { owner ${swap} order { uid status } } } }`,
    variables: byOwner,
    expect: ofOwner,
  },
  {
    name: 'notifications',
    text: account(`notifications(first: 20) { nodes { account ${notification} } }`),
    variables: byOwner,
    expect: ofOwner,
  },
  {
    name: 'account-together',
    text: account(`orders(first: 10) { nodes { ${accountParts} } }
      trades(first: 10) { nodes { ${swap} } }
      notifications(first: 10) { nodes { ${notification} } }`),
    variables: byOwner,
    expect: ofOwner,
  },
]

const listParts = 'uid owner kind status sellAmount buyAmount validTo'
const solution = 'solutionUid ranking solver isWinner filteredOut score'

/** Documents that begin at auctions, at a transaction, or at orders by a filter. */
const listDocuments: readonly BenchDocument[] = [
  {
    name: 'orders-by-status',
    text: `query ByStatus { orders(first: 20, filter: { statuses: [FULFILLED] }) {
      nodes { ${listParts} creationDate sellToken { symbol } buyToken { symbol } }
    } }`,
    expect: () => '"uid"',
  },
  {
    name: 'orders-newest',
    text: `query Newest { orders(first: 25) {
      nodes { ${listParts} creationDate executedSellAmount executedBuyAmount sellToken { symbol } buyToken { symbol } }
      pageInfo { hasNextPage endCursor }
    } }`,
    expect: () => '"uid"',
  },
  {
    name: 'orders-by-uids',
    text: `query ByUids($uids: [OrderUid!]!) { ordersByUids(uids: $uids) { ${listParts} sellToken { symbol } } }`,
    variables: ({ uids }) => ({ uids: uids.map(toHex) }),
  },
  {
    name: 'auction-solutions',
    text: `query Auction($auction: SafeInt!) { auction(id: $auction) {
      auctionId block deadline nativePrices { token { address } price }
      solutions { ${solution} orders { executedSell executedBuy order { uid kind } } }
    } }`,
    variables: ({ auction }) => ({ auction }),
  },
  {
    name: 'latest-auction',
    text: `query Latest { latestAuction {
      auctionId block deadline
      solutions { ${solution} }
      settlementAttempts { solver startBlock endBlock startTimestamp }
    } }`,
    expect: () => '"ranking"',
  },
  {
    name: 'transaction-orders',
    text: `query OfTransaction($transaction: Bytes32!) { transactionOrders(hash: $transaction) { ${listParts} executedSellAmount executedBuyAmount } }`,
    variables: ({ transaction }) => ({ transaction: toHex(transaction) }),
  },
]

export const documents: readonly BenchDocument[] = [...orderDocuments, ...accountDocuments, ...listDocuments]
