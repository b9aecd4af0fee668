import { schema } from '../src/graphql/schema.ts'
import { openApiDocument } from '../src/rest/openapi/document.ts'
import { generated, page, table } from './markdown.ts'

/** The source of a member on a network that follows an order book. */
type MemberSource = 'order book' | 'chain' | 'here'

/** Names of members, where they come from, when they are known, and what else they can be. */
type Row = readonly [names: string, from: MemberSource, when: string, otherwise: string]

interface Described {
  graphql: string
  /** Schemas of the OpenAPI document. */
  rest?: readonly string[]
  rows: readonly Row[]
}

const always = 'never anything else'
const atOnce = 'with the order'
const inTrade = 'with its block'
const stored = 'with the competition'
const answered = 'with the answer'
const neverFollowed = 'never on a followed network'

/** Each member of these objects once; a test compares them with the schemas. */
export const members: Readonly<Record<string, Described>> = {
  Order: {
    graphql: 'Order',
    rest: ['Order'],
    rows: [
      [
        'uid owner from receiver sellToken buyToken sellAmount buyAmount validTo appData appDataHash feeAmount kind partiallyFillable sellTokenBalance buyTokenBalance',
        'order book',
        `${atOnce}; the UID proves them`,
        'receiver: null for the owner',
      ],
      [
        'signature signingScheme',
        'order book',
        `${atOnce}; mirror.isVerified says whether it is the owner’s`,
        'signature: 0x for presign, over REST the owner',
      ],
      ['settlementContract', 'order book', `${atOnce}; the UID proves it`, always],
      ['class isLiquidityOrder', 'order book', atOnce, 'LIMIT for a class that is not known'],
      ['creationDate', 'order book', atOnce, always],
      [
        'fullAppData',
        'order book',
        'with the order, or once its document is read',
        'null: not known. mirror.isDocumentVerified is false for a document of another hash',
      ],
      ['quoteId', 'order book', atOnce, 'null: none; left out over REST'],
      ['fullBalanceCheck', 'order book', atOnce, 'false where it is not reported'],
      [
        'quote',
        'order book',
        `${atOnce}; within some seconds for one that came in a list`,
        'null: none; left out over REST. Not known: mirror.isQuoteReported is false, and X-Unknown-Members names it',
      ],
      ['onchainOrderData onchainUser', 'order book', atOnce, 'null: not placed on chain; left out over REST'],
      ['ethflowData', 'order book', atOnce, 'null: not placed on chain; left out over REST'],
      [
        'executedFee executedFeeToken',
        'order book',
        'within some seconds after a trade',
        '0, or without the newest trades, where it is not known: mirror.isFeeReported is false, and X-Unknown-Members names it',
      ],
      [
        'availableBalance',
        'here',
        'with the first reading of the balance: by the indexer, by an auction, else by the order book (mirror.isBalanceReported)',
        'null: not known',
      ],
      [
        'executedSellAmount executedSellAmountBeforeFees executedBuyAmount executedFeeAmount executedFraction executedPrice surplus',
        'chain',
        'with the blocks of its trades',
        'less than the order book reports while mirror.isComplete is false; executedPrice: null before the first trade',
      ],
      [
        'status invalidated',
        'here',
        'at once, from trades, cancellations, presignatures and time; a cancellation off chain is seen in a round of live orders',
        'as of the trades that are here while mirror.isComplete is false',
      ],
      ['cancelledBy', 'here', 'with the cancellation', 'null: not cancelled; left out over REST'],
      ['interactions', 'here', 'with the document', 'empty: none, or fullAppData is null or not verified'],
      ['validFrom', 'here', 'with the document', 'null: none, or fullAppData is null or not verified'],
      ['appCode referrer', 'here', 'with the document', 'null: none, or fullAppData is null or not verified'],
      [
        'hooks',
        'here',
        'with the document',
        'empty: none, or fullAppData is null or not verified; hasAllCalls of each says whether its calls are known',
      ],
      [
        'id network limitPrice effectiveReceiver tokens',
        'here',
        atOnce,
        'limitPrice: null if sellAmount is 0',
      ],
      [
        'trades',
        'chain',
        'with their blocks; older ones once they are read',
        'lacks some while its isComplete is false',
      ],
      [
        'events',
        'here',
        'from when the order is stored',
        'lacks some: its isComplete is false on a followed network, and once old ones are removed',
      ],
      [
        'auctions debugReport',
        'order book',
        'once a competition with the order is read',
        'lacks some: isComplete is false on a followed network',
      ],
      [
        'progress',
        'here',
        'with its newest event, trade or competition',
        'null: none is recorded; its solutions: null where they are not known',
      ],
      [
        'solverOutcomes hasAllSolverOutcomes',
        'here',
        neverFollowed,
        'empty, with hasAllSolverOutcomes false',
      ],
      ['refusedSolutions', 'here', neverFollowed, 'empty, with its isComplete false'],
      [
        'pendingSettlements hasAllPendingSettlements',
        'here',
        neverFollowed,
        'empty, with hasAllPendingSettlements false',
      ],
      [
        'standing',
        'here',
        'with the reading of its balance and prices; offers of solvers: never on a followed network',
        'null: not known; bestPrice: null',
      ],
      [
        'marketPrices',
        'here',
        'where price sources are configured',
        'lacks some: its isComplete is false on a followed network',
      ],
      ['diagnosis', 'here', 'at once', 'decidedElsewhere where only the order book knows why'],
      ['simulation', 'chain', 'at once, by the node', 'refused while the node is away'],
      ['programmaticOrder', 'chain', 'once its creation is read', 'null: none, or not known yet'],
      ['mirror', 'here', atOnce, 'null: placed here'],
    ],
  },
  'Order.onchainOrderData': {
    graphql: 'OnchainOrderData',
    rest: ['OnchainOrderData'],
    rows: [
      ['sender', 'order book', atOnce, always],
      ['placementError', 'order book', `${atOnce}, in the words of the interface`, 'null: none'],
      ['detail', 'order book', `${atOnce}: the word that the interface lacks`, 'null: nothing to add'],
    ],
  },
  'Order.ethflowData': {
    graphql: 'EthflowData',
    rest: ['EthflowData'],
    rows: [
      ['userValidTo', 'order book', atOnce, always],
      [
        'refundTxHash isRefunded',
        'order book',
        'with the block of its log; before the first indexed block with the order',
        'null or false: not refunded as far as is known',
      ],
    ],
  },
  Trade: {
    graphql: 'Trade',
    rest: ['Trade'],
    rows: [
      [
        'blockNumber logIndex orderUid owner sellToken buyToken sellAmount sellAmountBeforeFees buyAmount txHash',
        'chain',
        inTrade,
        always,
      ],
      [
        'executedProtocolFees hasAllExecutedProtocolFees',
        'order book',
        'soon after its block; of older trades once a client names order or account',
        'empty: none if hasAllExecutedProtocolFees is true, else not known: X-Unknown-Members names it',
      ],
      ['id isReverted', 'here', inTrade, always],
      ['timestamp', 'here', inTrade, 'null: the order, or its event, is not stored'],
      ['order', 'order book', 'after the block', 'null: not read yet, or not known to the order book'],
      [
        'auction auctionId',
        'chain',
        'once the competition that its settlement names is read',
        'null: not known, or of another service',
      ],
      [
        'settlement',
        'chain',
        inTrade,
        'null for a moment after a reorg; its fees: null, not known on a followed network',
      ],
      [
        'execution',
        'here',
        'once the competition is read',
        'null: not known; its networkFee: null on a followed network',
      ],
      [
        'nativePrices hasAllNativePrices',
        'order book',
        'once the competition is read',
        'empty: not known if hasAllNativePrices is false',
      ],
    ],
  },
  Competition: {
    graphql: 'Auction',
    rest: ['Competition', 'CompetitionV1'],
    rows: [
      [
        'auctionId auctionStartBlock auctionDeadlineBlock block deadline competitionSimulationBlock',
        'order book',
        stored,
        always,
      ],
      ['nativePrices', 'order book', stored, always],
      [
        'auction orderUids orders hasAllOrderUids',
        'order book',
        'with the competition; over REST in auction.orders',
        'lacks orders that could not be read: hasAllOrderUids is false, and X-Unknown-Members names auction.orders',
      ],
      [
        'orderCount',
        'order book',
        stored,
        'without orders that could not be read, for a competition that an earlier version read: hasAllOrderUids is false',
      ],
      [
        'solutions solutionCount hasAllSolutions',
        'order book',
        stored,
        'empty and 0 while the competition is hidden: hasAllSolutions is false',
      ],
      ['referenceScores', 'order book', stored, 'without winners that have none'],
      [
        'transactionHashes settlements hasAllSettlements',
        'chain',
        'with the blocks of settlements that name it',
        'empty: not known if hasAllSettlements is false, as before the first indexed block',
      ],
      ['createdAt id network', 'here', 'when it is stored', always],
      ['isFinished', 'here', 'with the deadline block', 'false before the first indexed block'],
      [
        'settlementAttempts hasAllSettlementAttempts',
        'here',
        neverFollowed,
        'empty, with hasAllSettlementAttempts false',
      ],
      ['solverAnswers hasAllSolverAnswers', 'here', neverFollowed, 'empty, with hasAllSolverAnswers false'],
      [
        'refusedSolutions hasAllRefusedSolutions',
        'here',
        neverFollowed,
        'empty, with hasAllRefusedSolutions false',
      ],
      ['excludedOrders', 'here', neverFollowed, 'empty, with its isComplete false'],
    ],
  },
  'Competition.solutions': {
    graphql: 'Solution',
    rest: ['CompetitionSolution', 'CompetitionSolutionV1'],
    rows: [
      ['solver solverAddress score ranking isWinner filteredOut', 'order book', stored, always],
      ['solutionUid id auction', 'here', stored, always],
      ['referenceScore', 'order book', stored, 'null: none, as for losers'],
      [
        'clearingPrices hasAllClearingPrices',
        'order book',
        stored,
        'empty: not known if hasAllClearingPrices is false',
      ],
      ['orders', 'order book', stored, always],
      [
        'txHash',
        'chain',
        'with the block of its settlement',
        'null: none, or not known if hasAllSettlements of the auction is false',
      ],
      ['refusal', 'here', neverFollowed, 'null: none, or not known'],
    ],
  },
  'Competition.solutions.orders': {
    graphql: 'SolutionOrder',
    rows: [
      ['orderUid executedSell executedBuy sellToken buyToken', 'order book', stored, always],
      ['order', 'order book', 'once it is read', 'null: not read, or brought by the solver'],
    ],
  },
  'Order.quote': {
    graphql: 'OrderQuote',
    rest: ['OrderQuote'],
    rows: [
      ['sellAmount buyAmount feeAmount sellTokenPrice solver verified', 'order book', atOnce, always],
      ['gasAmount gasPrice', 'order book', `${atOnce}, rounded down to whole units`, always],
      [
        'exactGasAmount exactGasPrice',
        'order book',
        `${atOnce}, with its decimals`,
        'null: read by an earlier version',
      ],
      ['metadata', 'order book', 'once the order has ended', 'null: none, or the order has not ended'],
    ],
  },
  Quote: {
    graphql: 'QuoteResponse',
    rest: ['QuoteResponse'],
    rows: [
      ['quote expiration from verified', 'order book', answered, always],
      ['id quoteId', 'order book', answered, 'null: none'],
      ['protocolFeeBps slippageBps', 'order book', answered, 'null or left out: not reported'],
      ['stored', 'here', answered, always],
      ['order', 'here', answered, 'null: the quote has no order to sign'],
      ['priceImpact', 'here', 'with the native prices', 'null: not known, with the warning PRICE_UNKNOWN'],
      ['slippage', 'here', answered, 'null: not known'],
      ['route', 'here', neverFollowed, 'null: not known'],
      ['warnings', 'here', answered, 'without those that could not be looked up'],
    ],
  },
  'Quote.quote': {
    graphql: 'QuotedOrder',
    rest: ['QuotedOrder'],
    rows: [
      [
        'sellToken buyToken receiver sellAmount buyAmount feeAmount validTo appData kind partiallyFillable sellTokenBalance buyTokenBalance signingScheme',
        'order book',
        answered,
        'receiver: null for the owner',
      ],
      ['appDataHash', 'order book', answered, always],
      [
        'gasAmount gasPrice sellTokenPrice',
        'order book',
        `${answered}; GraphQL rounds gas down to whole units`,
        '0 where it is not reported',
      ],
    ],
  },
  AppData: {
    graphql: 'AppData',
    rest: ['AppDataDocument'],
    rows: [
      [
        'document fullAppData',
        'order book',
        'once a client or an order names it; its hash proves it',
        'no object: not known',
      ],
      ['hash', 'here', 'with the document', always],
    ],
  },
}

interface WithProperties {
  properties?: Readonly<Record<string, unknown>>
}

/** The members that the schemas of an object have. */
export function membersOf({ graphql, rest = [] }: Described): string[] {
  const type = schema.getType(graphql)
  const fields = type && 'getFields' in type ? Object.keys(type.getFields()) : []
  const { schemas } = openApiDocument('0').components as { schemas: Record<string, WithProperties> }
  return [...new Set([...fields, ...rest.flatMap((name) => Object.keys(schemas[name]?.properties ?? {}))])]
}

const code = (names: string) =>
  names
    .split(' ')
    .map((name) => `\`${name}\``)
    .join(', ')

/** Returns docs/reference/members.md: the origin of each member. */
export function membersPage(): string {
  const head = ['member', 'from', 'known', 'else']
  const tables = Object.entries(members).map(
    ([name, { rows }]) =>
      `## ${name}\n\n${table(
        head,
        rows.map(([names, ...cells]) => [code(names), ...cells]),
      )}`,
  )
  return page(
    '# Where members come from',
    generated,
    `Members of GraphQL and REST on a network that [follows an order book](../how-to/follow-an-order-book.md): where each comes
from, when it is known, and what else it can be. *order book* is what that reports, *chain* is read at your own node, *here* is
computed or recorded by this service. On a network with its own order book all is known at once, except where a row names
hidden competitions, the first indexed block, or the age of rows.

An empty list or a sum of 0 means that there is none only if the member next to it says so: \`hasAll…\` of a list,
\`isComplete\` of a connection, of \`Accounting\` and of \`OrderMirror\`, \`isTotalSurplusComplete\` of an account. Over REST the header
\`X-Unknown-Members\` names such members.`,
    ...tables,
  )
}
