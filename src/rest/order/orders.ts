import { Refusal } from '../../domain/errors/error.ts'
import type { OrderUid } from '../../domain/order/order.ts'
import { checkNamed } from '../../graphql/context/context.ts'
import { orderUidsInput } from '../../graphql/input/fields.ts'
import { parseInput } from '../../graphql/input/parse.ts'
import { orderInput } from '../../graphql/order/placement.ts'
import { checkLimit } from '../../graphql/paging.ts'
import { debugReportBody, oldestReported, unknownOfReports } from '../../storage/bodies/debug-report.ts'
import { fullOrder, listedOrder, orderProgressBody } from '../../storage/bodies/order.ts'
import {
  type BodyRead,
  type BodyRow,
  listOfBodies,
  listOfWrapped,
  oneBody,
  readBody,
} from '../../storage/bodies/read.ts'
import { areTradesComplete, isListComplete, listAge } from '../../storage/models/completeness.ts'
import {
  comparedAge,
  oldestComparedAge,
  unknownOfOrder,
  unknownOfOrders,
} from '../../storage/models/order/mirror.ts'
import {
  namedOrders,
  oneOrder,
  ordersOfAccount,
  ordersOfTransaction,
  progressOfOrder,
} from '../../storage/models/order/relations.ts'
import { debugReport, order, orderProgress, orders, wrappedOrders } from '../openapi/body-schemas.ts'
import type { Operations, WrittenOperation } from '../openapi/operation.ts'
import { hashParameter, pageParameters } from '../openapi/parameters.ts'
import { count, uidText } from '../openapi/primitives.ts'
import { sample } from '../openapi/sample.ts'
import { ageHeader, completeHeader, listAnswer, unknownHeader } from '../routing/completeness.ts'
import type { StoredAnswer, StoredReading, StoredRoute } from '../routing/endpoint.ts'
import { readAddress, readHash, readPage, readUid } from '../routing/request.ts'
import { noSuchOrder, sampleDebugReport, sampleListedOrder, sampleSettledOrder } from './examples.ts'

/** True if all trades of the order are read, as text of the database. */
const complete = `(${areTradesComplete})`
const orderBody = oneBody(fullOrder, [comparedAge, complete, unknownOfOrder])
const orderList = listOfBodies(listedOrder)
const wrappedOrderList = listOfWrapped('order', fullOrder)
const progressBody = oneBody(orderProgressBody)
const reportBody = oneBody(debugReportBody, [oldestReported, comparedAge, complete, unknownOfReports])

const answerOf = (row: BodyRow | undefined) => (row ? { body: row[0] } : null)

export const orderRoutes: StoredRoute[] = [
  {
    on: 'GET /api/v1/orders/:uid',
    missing: 'Order was not found',
    read: async ({ path }, reading) => {
      const { db, network, ambient } = reading
      const uid = readUid('uid', path.uid)
      const rows = oneOrder({ uid, chainId: network.chainId })
      const row = await orRead(uid, reading, () => readBody(db, orderBody, rows, ambient))
      if (!row) return null
      const [body, age, isComplete, unknown] = row
      return {
        body,
        headers: { ...ageHeader(age), ...completeHeader(isComplete), ...unknownHeader(unknown) },
      }
    },
  },
  {
    on: 'POST /api/v1/orders/by_uids',
    items: ({ body }) => (Array.isArray(body) ? body.length : 1),
    read: async ({ body }, { db, network, ambient, readOrders, client, ...limits }) => {
      const uids = parseInput(orderUidsInput, body)
      checkNamed(uids, 'uids', limits)
      await readOrders?.(uids, client)
      const rows = namedOrders({ uids: [...new Set(uids)], chainId: network.chainId })
      return datedList(wrappedOrderList, rows, { db, ambient })
    },
  },
  {
    on: 'GET /api/v1/orders/:uid/status',
    isPassedOn: true,
    missing: 'no order has this UID, or no competition is stored for where it stands',
    read: async ({ path }, { db, network, ambient }) => {
      const uid = readUid('uid', path.uid)
      return answerOf(
        await readBody(db, progressBody, progressOfOrder({ uid, chainId: network.chainId }), ambient),
      )
    },
  },
  {
    on: 'GET /api/v1/transactions/:hash/orders',
    read: async ({ path }, { db, network, ambient, readTransaction, client }) => {
      const hash = readHash('hash', path.hash)
      await readTransaction?.(hash, client)
      const rows = ordersOfTransaction({ hash, chainId: network.chainId })
      return datedList(orderList, rows, { db, ambient })
    },
  },
  {
    on: 'GET /api/v1/account/:owner/orders',
    items: ({ query }) => readPage(query).limit,
    read: async ({ path, query }, { db, network, ambient, readAccount, client }) => {
      const owner = readAddress('owner', path.owner)
      const { offset, limit } = readPage(query)
      checkLimit(limit, 'LIMIT_OUT_OF_BOUNDS')
      await readAccount?.(owner, client)
      const { chainId } = network
      const rows = ordersOfAccount({ owner, chainId, offset, limit })
      const columns = [
        isListComplete('orders', owner, [chainId]),
        listAge(owner, chainId),
        unknownOfOrders(rows),
      ]
      return listAnswer(await readBody(db, orderList, rows, { ...ambient, columns }))
    },
  },
  ...['', '/restricted'].map((prefix) => ({
    on: `GET ${prefix}/api/v1/debug/order/:uid`,
    missing: 'Order was not found',
    restricted: prefix !== '',
    read: readReport,
  })),
]

/** Reads a list of orders, as old as the one that was compared the longest time ago. */
async function datedList(
  list: BodyRead,
  rows: ReturnType<typeof namedOrders>,
  { db, ambient }: Pick<StoredReading, 'db' | 'ambient'>,
): Promise<StoredAnswer | null> {
  const row = await readBody(db, list, rows, {
    ...ambient,
    columns: [oldestComparedAge(rows), unknownOfOrders(rows, list === wrappedOrderList)],
  })
  return row ? { body: row[0], headers: { ...ageHeader(row[1]), ...unknownHeader(row[2]) } } : null
}

/** Reads the row of an order; if it is missing, once more after the order book that the network follows. */
async function orRead<Row>(
  uid: OrderUid,
  { readOrders, client }: Pick<StoredReading, 'readOrders' | 'client'>,
  read: () => Promise<Row | undefined>,
): Promise<Row | undefined> {
  return (await read()) ?? ((await readOrders?.([uid], client)) ? read() : undefined)
}

async function readReport({ path, query }: Parameters<StoredRoute['read']>[0], reading: StoredReading) {
  const { db, network, ambient, reportAuctions } = reading
  const uid = readUid('uid', path.uid)
  const auctionsBefore = readAuctionsBefore(query.get('auctionsBefore'))
  const rows = oneOrder({ uid, chainId: network.chainId })
  const values = [auctionsBefore, reportAuctions]
  const row = await orRead(uid, reading, () => readBody(db, reportBody, rows, { ...ambient, values }))
  if (!row) return null
  const [body, nextAuction, age, isComplete, unknown] = row
  const link = nextAuction === null ? {} : { Link: `<?auctionsBefore=${nextAuction}>; rel="next"` }
  return {
    body,
    headers: { ...link, ...ageHeader(age), ...completeHeader(isComplete), ...unknownHeader(unknown) },
  }
}

/** @throws Refusal InvalidParameter */
function readAuctionsBefore(text: string | null): bigint | null {
  if (text === null) return null
  if (/^[0-9]{1,18}$/.test(text)) return BigInt(text)
  throw new Refusal('InvalidParameter', 'auctionsBefore must be the id of an auction', {
    field: 'auctionsBefore',
  })
}

const signed = {
  sellToken: sample.weth,
  buyToken: sample.usdc,
  receiver: sample.trader,
  sellAmount: '1000000000000000000',
  buyAmount: '2900000000',
  validTo: 1_800_001_200,
  appData: '{}',
  appDataHash: sample.emptyDocumentHash,
  feeAmount: '0',
  kind: 'sell',
  partiallyFillable: false,
  sellTokenBalance: 'erc20',
  buyTokenBalance: 'erc20',
  signingScheme: 'eip712',
  signature:
    '0xe098447de58d34930f9c4de6a47b57c6a5f51a6a36fd72d65e9e78c230499e773d149e6b9bbfc0661b07010167cace832b3817554842bd4a9abd07b5aacf5d4e1b',
  from: sample.trader,
}

export const orderOperations: Operations = {
  'POST /api/v1/orders': {
    id: 'placeOrder',
    summary: 'Place a signed order',
    description:
      'The service makes all checks before it responds; with 201 the order is stored. The owner signs the order’s typed data with `eip712` and `ethsign`, and signs on chain with `presign`; with `eip1271` a contract wallet accepts the order.',
    body: orderInput.schema,
    answers: { 201: { description: 'The UID of the stored order.', schema: uidText } },
    codes: [
      'InvalidSignature',
      'InvalidEip1271Signature',
      'WrongOwner',
      'MissingFrom',
      'AppdataFromMismatch',
      'InvalidAppData',
      'AppDataHashMismatch',
      'ZeroAmount',
      'NonZeroFee',
      'SellAmountOverflow',
      'BuyAmountOverflow',
      'UnsupportedOrderType',
      'UnsupportedBuyTokenDestination',
      'UnsupportedSellTokenSource',
      'OrderExpired',
      'InsufficientValidTo',
      'ExcessiveValidTo',
      'InvalidValidFrom',
      'SameBuyAndSellToken',
      'InvalidNativeSellToken',
      'UnsupportedToken',
      'InsufficientBalance',
      'InsufficientAllowance',
      'TransferSimulationFailed',
      'TooMuchGas',
      'TooManyLimitOrders',
      'DuplicatedOrder',
      'Forbidden',
      'OldOrderActivelyBidOn',
      'OrderNotFound',
      'OnChainOrder',
      'OrderFullyExecuted',
      'AlreadyCancelled',
    ],
    examples: {
      sell: { summary: 'Signed by a key', body: signed, answer: sample.placed },
      again: {
        summary: 'The same once more',
        body: signed,
        refused: ['DuplicatedOrder', 'an order with this UID exists already', { uid: sample.placed }],
      },
      otherAmount: {
        summary: 'Other data than signed',
        body: { ...signed, buyAmount: '2900000001' },
        refused: [
          'InvalidSignature',
          'signature recovers to 0x07ddb06002be1472e2ec8cae1b4366ae481c3009, from is 0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
          {
            signer: '0x07ddb06002be1472e2ec8cae1b4366ae481c3009',
            mistake: null,
            explanation:
              'it recovers to 0x07ddb06002be1472e2ec8cae1b4366ae481c3009, not to 0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266, and no known mistake explains that: another account signed, or another order was signed',
          },
        ],
      },
    },
  },
  'GET /api/v1/orders/:uid': {
    id: 'order',
    summary: 'One order',
    answers: {
      200: {
        description: 'The order, with its quote if it has one.',
        schema: order,
        headers: ['Age', 'X-Is-Complete', 'X-Unknown-Members'],
      },
    },
    examples: {
      fulfilled: { summary: 'Fully settled', path: { uid: sample.settled }, answer: sampleSettledOrder },
      ...noSuchOrder,
    },
  },
  'POST /api/v1/orders/by_uids': {
    id: 'ordersByUids',
    summary: 'Many orders at once',
    description: 'Unknown UIDs are left out.',
    body: orderUidsInput,
    answers: {
      200: {
        description: 'Orders, each in its own object.',
        schema: wrappedOrders,
        headers: ['Age', 'X-Unknown-Members'],
      },
    },
    examples: {
      two: {
        summary: 'A known and an unknown UID',
        body: [sample.settled, sample.unknownUid],
        answer: [{ order: sampleSettledOrder }],
      },
      text: {
        summary: 'A body that is not a list',
        body: {},
        refused: ['InvalidParameter', 'a JSON list of UIDs is expected'],
      },
    },
  },
  'GET /api/v1/orders/:uid/status': {
    id: 'orderStatus',
    summary: 'The progress of an order towards its settlement',
    answers: {
      200: { description: 'The order’s stage, and the solvers’ proposals.', schema: orderProgress },
    },
    examples: {
      traded: {
        summary: 'Traded',
        path: { uid: sample.settled },
        answer: {
          type: 'traded',
          value: [
            {
              solver: '0x5050505050505050505050505050505050505050',
              executedAmounts: { sell: '1000000000000000000', buy: '2939000000' },
            },
            {
              solver: '0x5050505050505050505050505050505050505050',
              executedAmounts: { sell: '1000000000000000000', buy: '2940000000' },
            },
          ],
        },
      },
      unknown: { summary: 'An unknown UID', path: { uid: sample.unknownUid }, refused: 'missing' },
    },
  },
  'GET /api/v1/transactions/:hash/orders': {
    id: 'transactionOrders',
    summary: 'Orders that a transaction traded',
    path: { hash: { ...hashParameter, description: 'The settlement transaction.' } },
    answers: {
      200: {
        description: 'Orders, without their quotes.',
        schema: orders,
        headers: ['Age', 'X-Unknown-Members'],
      },
    },
    examples: {
      settlement: {
        summary: 'A settlement',
        path: { hash: sample.transaction },
        answer: [sampleListedOrder],
      },
      unknown: { summary: 'An unknown transaction', path: { hash: sample.unknownHash }, answer: [] },
      malformed: {
        summary: 'A malformed hash',
        path: { hash: '0x12' },
        refused: ['InvalidParameter', 'hash must be 32 bytes of hex with 0x in front'],
      },
    },
  },
  'GET /api/v1/account/:owner/orders': {
    id: 'accountOrders',
    summary: 'Orders of an account',
    query: pageParameters,
    answers: {
      200: {
        description: 'Orders, newest first, without their quotes.',
        schema: orders,
        headers: ['Age', 'X-Is-Complete', 'X-Unknown-Members'],
      },
    },
    codes: ['LIMIT_OUT_OF_BOUNDS'],
    examples: {
      page: {
        summary: 'A first page',
        path: { owner: sample.otherTrader },
        query: { offset: '0', limit: '10' },
        answer: [sampleListedOrder],
      },
      tooMany: {
        summary: 'More than a page may hold',
        path: { owner: sample.otherTrader },
        query: { limit: '1001' },
        refused: ['LIMIT_OUT_OF_BOUNDS', 'limit must be from 1 to 1000'],
      },
    },
  },
}

const shared: Omit<WrittenOperation, 'id' | 'summary'> = {
  description:
    'Lists the newest auctions by id, as many as the deployment sets (usually 200); the `Link` header leads to older ones. Lists the newest 100 trades.',
  query: {
    auctionsBefore: { description: 'Returns only auctions with an id below this one.', schema: count },
  },
  answers: {
    200: {
      description: 'Lists are always present; unknown values inside them are left out.',
      schema: debugReport,
      headers: ['Link', 'Age', 'X-Is-Complete', 'X-Unknown-Members'],
    },
  },
  examples: {
    fulfilled: {
      summary: 'A fully settled order',
      path: { uid: sample.settled },
      answer: sampleDebugReport,
    },
    ...noSuchOrder,
  },
}

export const debugReportOperations: Operations = {
  'GET /api/v1/debug/order/:uid': {
    ...shared,
    id: 'debugReport',
    summary: 'Everything that happened to an order',
  },
  'GET /restricted/api/v1/debug/order/:uid': {
    ...shared,
    id: 'restrictedDebugReport',
    summary: 'The same, at the path that other deployments restrict to the operator',
  },
}
