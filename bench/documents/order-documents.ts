import type { BenchDocument } from './document.ts'

const byUid: BenchDocument['variables'] = ({ uid }, toText) => ({ uid: toText(uid) })

const order = (fields: string) => `query Order($uid: OrderUid!) {
  order(uid: $uid) { ${fields} }
}`

const postgraphileOrder = (fields: string) => `query Order($chainId: Int!, $uid: Base64EncodedBinary!) {
  order: orderByChainIdAndUid(chainId: $chainId, uid: $uid) { ${fields} }
}`

const story = {
  text: `uid status sellAmount buyAmount
    events(first: 20) { nodes { label reason timestamp } }
    trades(first: 20) { nodes { blockNumber logIndex sellAmount buyAmount txHash } }`,
  postgraphile: `uid status sellAmount buyAmount
    eventsList(orderBy: [TIMESTAMP_ASC, ROW_ID_ASC]) { label reason timestamp }
    tradesList(orderBy: [BLOCK_NUMBER_DESC, LOG_INDEX_DESC]) { blockNumber logIndex sellAmount buyAmount txHash }`,
}
const quote = 'sellAmount buyAmount feeAmount solver verified'
const parts = 'uid kind status sellAmount buyAmount validTo'

/** Returns the same document, with its quote included or not by a variable. */
function quoteIf(d: boolean): BenchDocument {
  const declare = (text: string) => text.replace(')', ', $d: Boolean!)')
  return {
    name: d ? 'quote-included' : 'quote-left-out',
    text: declare(order(`${story.text} quote @include(if: $d) { ${quote} }`)),
    postgraphile: declare(postgraphileOrder(`${story.postgraphile} quote @include(if: $d) { ${quote} }`)),
    variables: ({ uid }, toText) => ({ uid: toText(uid), d }),
  }
}

/** Documents that begin at one order. */
export const orderDocuments: readonly BenchDocument[] = [
  {
    name: 'order-story',
    text: order(`${story.text} quote { ${quote} }`),
    postgraphile: postgraphileOrder(`${story.postgraphile} quote { ${quote} }`),
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
    postgraphile: `query Two($chainId: Int!, $uid: Base64EncodedBinary!, $other: Base64EncodedBinary!) {
      one: orderByChainIdAndUid(chainId: $chainId, uid: $uid) { ${parts} owner receiver }
      other: orderByChainIdAndUid(chainId: $chainId, uid: $other) { ${parts} quote { ${quote} } }
    }`,
    variables: ({ uid, uids }, toText) => ({ uid: toText(uid), other: toText(uids[1] ?? uid) }),
  },
  {
    name: 'order-auctions',
    text: order(
      'uid auctions(first: 20) { nodes { block settlementAttempts { solver startBlock endBlock startTimestamp } } }',
    ),
    postgraphile: postgraphileOrder(`uid auctionsList(orderBy: AUCTION_ID_ASC) {
      auction { block attemptsList(orderBy: [STARTED_AT_ASC, SOLUTION_UID_ASC]) { solver startBlock endBlock startedAt } }
    }`),
    variables: byUid,
  },
  {
    name: 'auctions-page',
    text: order(
      'uid auctions(first: 3) { edges { cursor node { block deadline } } pageInfo { hasNextPage endCursor } }',
    ),
    postgraphile: postgraphileOrder(`uid auctions(orderBy: AUCTION_ID_ASC, first: 3) {
      edges { cursor node { auction { block deadlineBlock } } } pageInfo { hasNextPage endCursor }
    }`),
    variables: byUid,
  },
  {
    name: 'nested-arguments',
    text: order(`${parts}
      trades(first: 2) { nodes { blockNumber sellAmount buyAmount } }
      events(first: 3) { nodes { label timestamp } }`),
    postgraphile: postgraphileOrder(`${parts}
      tradesList(orderBy: [BLOCK_NUMBER_DESC, LOG_INDEX_DESC], first: 2) { blockNumber sellAmount buyAmount }
      eventsList(orderBy: [TIMESTAMP_ASC, ROW_ID_ASC], first: 3) { label timestamp }`),
    variables: byUid,
  },
  {
    name: 'same-list-twice',
    text: order(`uid
      first: events(first: 2) { nodes { label timestamp } }
      all: events(first: 20) { nodes { label } }`),
    postgraphile: postgraphileOrder(`uid
      first: eventsList(orderBy: [TIMESTAMP_ASC, ROW_ID_ASC], first: 2) { label timestamp }
      all: eventsList(orderBy: [TIMESTAMP_ASC, ROW_ID_ASC], first: 20) { label }`),
    variables: byUid,
  },
  {
    name: 'token-of-order',
    text: order('uid sellToken { address symbol name decimals firstTradeBlock }'),
    postgraphile: postgraphileOrder('uid sells { address symbol name decimals firstTradeBlock }'),
    variables: byUid,
  },
  {
    name: 'order-trades-order',
    text: order(`uid trades(first: 20) { nodes {
      blockNumber logIndex order { uid status events(first: 20) { nodes { label timestamp } } }
    } }`),
    postgraphile: postgraphileOrder(`uid tradesList(orderBy: [BLOCK_NUMBER_DESC, LOG_INDEX_DESC]) {
      blockNumber logIndex order { uid status eventsList(orderBy: [TIMESTAMP_ASC, ROW_ID_ASC]) { label timestamp } }
    }`),
    variables: byUid,
  },
  {
    name: 'node',
    text: `query Node($id: ID!) { node(id: $id) { __typename id ... on Order { ${parts} creationDate } } }`,
    postgraphile: `query Node($id: ID!) { node(id: $id) { __typename id ... on Order { ${parts} createdAt } } }`,
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
    postgraphile: `query Fragments($id: ID!) { __typename node(id: $id) { __typename ...Known ... on Auction { id } } }
      fragment Known on Node { __typename id ... on Order { ...Parts tradesList(orderBy: [BLOCK_NUMBER_DESC, LOG_INDEX_DESC]) { ...Trade } } }
      fragment Parts on Order {
        __typename ${parts} sells { ...Words } buys { ...Words } quote { __typename ${quote} }
        eventsList(orderBy: [TIMESTAMP_ASC, ROW_ID_ASC]) { __typename label reason timestamp }
      }
      fragment Trade on Trade { __typename blockNumber logIndex sellAmount buyAmount sells { ...Words } }
      fragment Words on Token { __typename address symbol decimals }`,
    variables: ({ id }) => ({ id }),
  },
]
