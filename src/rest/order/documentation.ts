import { orderInput } from '../../graphql/order/creation-input.ts'
import { orderUidsInput } from '../../graphql/order/uids-input.ts'
import type { Operations } from '../openapi/operation.ts'
import { page } from '../openapi/page-parameters.ts'
import { hashParameter } from '../openapi/path-parameters.ts'
import { sample } from '../openapi/sample.ts'
import { order, orderProgress, orders, wrappedOrders } from '../openapi/schemas/stored.ts'
import { uidText } from '../openapi/schemas/text.ts'
import { listedOrder, settledOrder } from './example.ts'
import { noSuchOrder } from './no-such-order.ts'

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
      'All checks are made before the response; with 201 the order is stored. With `eip712` and `ethsign` the owner signs the order’s typed data, with `presign` on chain, with `eip1271` a contract wallet accepts it.',
    body: orderInput.schema,
    answers: { 201: { description: 'The order’s UID.', schema: uidText } },
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
        summary: 'Not what was signed',
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
    answers: { 200: { description: 'The order, with its quote where it has one.', schema: order } },
    examples: {
      fulfilled: { summary: 'Fully settled', path: { uid: sample.settled }, answer: settledOrder },
      ...noSuchOrder,
    },
  },
  'POST /api/v1/orders/by_uids': {
    id: 'ordersByUids',
    summary: 'Many orders at once',
    description: 'A UID that is not known is left out.',
    body: orderUidsInput,
    answers: { 200: { description: 'Orders, each in an object of its own.', schema: wrappedOrders } },
    examples: {
      two: {
        summary: 'One that is known, and one that is not',
        body: [sample.settled, sample.unknownUid],
        answer: [{ order: settledOrder }],
      },
      text: {
        summary: 'No list',
        body: {},
        refused: ['InvalidParameter', 'a JSON list of UIDs is expected'],
      },
    },
  },
  'GET /api/v1/orders/:uid/status': {
    id: 'orderStatus',
    summary: 'The progress of an order towards its settlement',
    answers: { 200: { description: 'Its stage, and what solvers proposed.', schema: orderProgress } },
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
    path: { hash: { ...hashParameter, description: 'The transaction.' } },
    answers: { 200: { description: 'Orders, without their quotes.', schema: orders } },
    examples: {
      settlement: { summary: 'A settlement', path: { hash: sample.transaction }, answer: [listedOrder] },
      unknown: { summary: 'An unknown transaction', path: { hash: sample.unknownHash }, answer: [] },
      malformed: {
        summary: 'No hash',
        path: { hash: '0x12' },
        refused: ['InvalidParameter', 'hash must be 32 bytes of hex with 0x in front'],
      },
    },
  },
  'GET /api/v1/account/:owner/orders': {
    id: 'accountOrders',
    summary: 'Orders of an account',
    query: page,
    answers: { 200: { description: 'Newest first, without their quotes.', schema: orders } },
    codes: ['LIMIT_OUT_OF_BOUNDS'],
    examples: {
      page: {
        summary: 'A first page',
        path: { owner: sample.otherTrader },
        query: { offset: '0', limit: '10' },
        answer: [listedOrder],
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
