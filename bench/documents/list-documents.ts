import type { BenchDocument } from './document.ts'

const parts = 'uid owner kind status sellAmount buyAmount validTo'
const solution = 'solutionUid ranking solver isWinner filteredOut score'
const postgraphileSolution = 'uid ranking solver isWinner filteredOut score'

/** Documents that begin at auctions, at a transaction, or at orders by a filter. */
export const listDocuments: readonly BenchDocument[] = [
  {
    name: 'orders-by-status',
    text: `query ByStatus { orders(first: 20, filter: { statuses: [FULFILLED] }) {
      nodes { ${parts} creationDate sellToken { symbol } buyToken { symbol } }
    } }`,
    postgraphile: `query ByStatus($chainId: Int!) { orders: ordersByStatusList(chainId: $chainId, statuses: ["fulfilled"], first: 20) {
      ${parts} createdAt sells { symbol } buys { symbol }
    } }`,
    expect: () => '"uid"',
  },
  {
    name: 'orders-newest',
    text: `query Newest { orders(first: 25) {
      nodes { ${parts} creationDate executedSellAmount executedBuyAmount sellToken { symbol } buyToken { symbol } }
      pageInfo { hasNextPage endCursor }
    } }`,
    postgraphile: `query Newest($chainId: Int!) { orders: allOrdersList(condition: { chainId: $chainId }, orderBy: [CREATED_AT_DESC, ROW_ID_DESC], first: 25) {
      ${parts} createdAt executedSell executedBuy sells { symbol } buys { symbol }
    } }`,
    expect: () => '"uid"',
  },
  {
    name: 'orders-by-uids',
    text: `query ByUids($uids: [OrderUid!]!) { ordersByUids(uids: $uids) { ${parts} sellToken { symbol } } }`,
    postgraphile: `query ByUids($chainId: Int!, $uids: [Base64EncodedBinary!]!) {
      orders: ordersByUidsList(chainId: $chainId, uids: $uids) { ${parts} sells { symbol } }
    }`,
    variables: ({ uids }, toText) => ({ uids: uids.map(toText) }),
  },
  {
    name: 'auction-solutions',
    text: `query Auction($auction: SafeInt!) { auction(id: $auction) {
      auctionId block deadline nativePrices { token { address } price }
      solutions { ${solution} orders { executedSell executedBuy order { uid kind } } }
    } }`,
    postgraphile: `query Auction($auction: BigInt!) { auction: auctionByRowId(rowId: $auction) {
      rowId block deadlineBlock pricesList { token price }
      solutionsList(orderBy: UID_ASC) {
        ${postgraphileSolution} proposalsList(orderBy: ORDER_ID_ASC) { executedSell executedBuy tradedOrder { uid kind } }
      }
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
    postgraphile: `query Latest($chainId: Int!) { auctions: allAuctionsList(condition: { chainId: $chainId }, orderBy: ROW_ID_DESC, first: 1) {
      rowId block deadlineBlock
      solutionsList(orderBy: UID_ASC) { ${postgraphileSolution} }
      attemptsList(orderBy: [STARTED_AT_ASC, SOLUTION_UID_ASC]) { solver startBlock endBlock startedAt }
    } }`,
    expect: () => '"ranking"',
  },
  {
    name: 'transaction-orders',
    text: `query OfTransaction($transaction: Bytes32!) { transactionOrders(hash: $transaction) { ${parts} executedSellAmount executedBuyAmount } }`,
    postgraphile: `query OfTransaction($chainId: Int!, $transaction: Base64EncodedBinary!) {
      orders: transactionOrdersList(chainId: $chainId, hash: $transaction) { ${parts} executedSell executedBuy }
    }`,
    variables: ({ transaction }, toText) => ({ transaction: toText(transaction) }),
  },
]
