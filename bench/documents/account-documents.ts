import type { BenchDocument } from './document.ts'

const byOwner: BenchDocument['variables'] = ({ owner }, toText) => ({ owner: toText(owner) })
const ofOwner: BenchDocument['expect'] = ({ owner }, toText) => toText(owner)

const account = (fields: string) => `query Account($owner: Address!) {
  account(address: $owner) { ${fields} }
}`
const postgraphileAccount = (roots: string) =>
  `query Account($chainId: Int!, $owner: Base64EncodedBinary!) { ${roots} }`

const parts =
  'uid owner kind status sellAmount buyAmount executedSellAmount executedBuyAmount validTo creationDate'
const postgraphileParts =
  'uid owner kind status sellAmount buyAmount executedSell executedBuy validTo createdAt'
const swap = 'blockNumber logIndex sellAmount buyAmount txHash'
const token = '{ address symbol decimals }'
const notification = 'type message timestamp metadata'
const newestOrders =
  'condition: { chainId: $chainId, owner: $owner }, orderBy: [CREATED_AT_DESC, ROW_ID_DESC]'
const newestTrades =
  'condition: { chainId: $chainId, owner: $owner }, orderBy: [BLOCK_NUMBER_DESC, LOG_INDEX_DESC]'
const newestEntries = 'condition: { account: $owner }, orderBy: PLACE_DESC'

/** Documents that begin at an account. Its 20 orders have 25 trades and as many notifications. */
export const accountDocuments: readonly BenchDocument[] = [
  {
    name: 'account-orders',
    text: account(`orders(first: 20) { nodes {
      ${parts} sellToken ${token} buyToken ${token} trades(first: 20) { nodes { ${swap} } }
    } }`),
    postgraphile: postgraphileAccount(`orders: allOrdersList(${newestOrders}, first: 20) {
      ${postgraphileParts} sells ${token} buys ${token} tradesList(orderBy: [BLOCK_NUMBER_DESC, LOG_INDEX_DESC]) { ${swap} }
    }`),
    variables: byOwner,
    expect: ofOwner,
  },
  {
    name: 'account-trades',
    text: account(
      `trades(first: 20) { nodes { owner orderUid ${swap} sellToken { symbol } buyToken { symbol } } }`,
    ),
    postgraphile: postgraphileAccount(
      `trades: allTradesList(${newestTrades}, first: 20) { owner orderUid ${swap} sells { symbol } buys { symbol } }`,
    ),
    variables: byOwner,
    expect: ofOwner,
  },
  {
    name: 'trades',
    text: `query Trades($owner: Address!) { trades(owner: $owner, first: 20) { nodes { owner ${swap} order { uid status } } } }`,
    postgraphile: postgraphileAccount(
      `trades: allTradesList(${newestTrades}, first: 20) { owner ${swap} order { uid status } }`,
    ),
    variables: byOwner,
    expect: ofOwner,
  },
  {
    name: 'notifications',
    text: account(`notifications(first: 20) { nodes { account ${notification} } }`),
    postgraphile: postgraphileAccount(
      `feed: allFeedEntriesList(${newestEntries}, first: 20) { notification { account ${notification} } }`,
    ).replace('$chainId: Int!, ', ''),
    variables: byOwner,
    expect: ofOwner,
  },
  {
    name: 'account-together',
    text: account(`orders(first: 10) { nodes { ${parts} } }
      trades(first: 10) { nodes { ${swap} } }
      notifications(first: 10) { nodes { ${notification} } }`),
    postgraphile:
      postgraphileAccount(`orders: allOrdersList(${newestOrders}, first: 10) { ${postgraphileParts} }
      trades: allTradesList(${newestTrades}, first: 10) { ${swap} }
      feed: allFeedEntriesList(${newestEntries}, first: 10) { notification { ${notification} } }`),
    variables: byOwner,
    expect: ofOwner,
  },
]
