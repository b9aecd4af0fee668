import { explanationBody } from '../../../graphql/order/creation-input.ts'
import type { Operations } from '../../openapi/operation.ts'
import { sample } from '../../openapi/sample.ts'
import { noSuchOrder } from '../no-such-order.ts'
import { orderDiagnosis } from './schema.ts'

export const sampleDiagnosis = {
  code: 'filled',
  summary:
    'The order is filled: 1,000,000,000,000,000,000 atoms of 0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa for 2,940,000,000 atoms of 0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.',
  since: null,
  retryable: false,
  advice: 'Nothing is left to do.',
  evidence: [
    { kind: 'transaction', txHash: sample.transaction, block: 109 },
    {
      kind: 'amounts',
      token: '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
      needed: '1000000000000000000',
      available: '1000000000000000000',
      missing: '0',
    },
  ],
  further: [],
}

const unsigned = {
  sellToken: sample.weth,
  buyToken: sample.usdc,
  sellAmount: '1000000000000000000',
  buyAmount: '2900000000',
  validTo: 1_800_001_200,
  appData: '{}',
  feeAmount: '0',
  kind: 'sell',
  partiallyFillable: false,
  signingScheme: 'eip712',
  from: sample.trader,
}

const sampleFar = {
  code: 'expired',
  summary:
    'The service would refuse the order: validTo 1700000000 is in the past (now 1800000000, Unix seconds).',
  since: null,
  retryable: false,
  advice:
    'Place a new order to trade. It needs a limit nearer to the market, which was 50.15 % worse than that of this one.',
  evidence: [
    {
      ...{ kind: 'validity', from: null, until: '2023-11-14T22:13:20Z' },
      offeredUntil: '2023-11-14T22:12:20Z',
    },
    {
      kind: 'refusal',
      code: 'OrderExpired',
      field: 'validTo',
      message: 'validTo 1700000000 is in the past (now 1800000000, Unix seconds)',
    },
  ],
  further: [
    {
      code: 'priceOutOfReach',
      summary:
        'The order asks for a better price than the market gives. For its whole amount, 1 WETH, the market is 50.15 % worse than the limit, before the fee of the network.',
      since: null,
      retryable: true,
      advice: 'Keep this in mind for a new order.',
      evidence: [
        {
          kind: 'price',
          limit: { decimal: '0.000000006', sellAmount: '1000000000000000000', buyAmount: '6000000000' },
          best: {
            decimal: '0.000000002990701827',
            sellAmount: '1000000000000000000',
            buyAmount: '2990701827',
          },
          foundAt: '2027-01-15T08:00:00Z',
          foundAtBlock: 7,
          foundBy: null,
          foundInAuction: null,
          gapPercent: '50.1549',
          gapSeenAt: '2027-01-15T08:00:00Z',
          dayMovementPercent: null,
          secondsNeeded: null,
        },
      ],
    },
  ],
}

export const diagnosisOperations: Operations = {
  'GET /api/v1/orders/:uid/diagnosis': {
    id: 'orderDiagnosis',
    summary: 'Why an order is not filled, or how it ended',
    description:
      'The reason that has to be solved first, and the others, with what proves them: from what is stored, and at most one look at the chain. What a hidden competition hides is left out.',
    answers: { 200: { description: 'The diagnosis.', schema: orderDiagnosis } },
    examples: {
      filled: { summary: 'A filled order', path: { uid: sample.settled }, answer: sampleDiagnosis },
      ...noSuchOrder,
    },
  },
  'POST /api/v1/orders/diagnosis': {
    id: 'explainOrder',
    summary: 'What would keep an order from being filled, before it is placed or signed',
    description:
      'All checks of placing, not only up to the first fault, the account, the market’s price against the limit, and a settlement of the order alone on the network’s node (that where the setting `SIMULATION_ACCESS` lets the caller simulate). Nothing is stored. Without `signature` it is an order that is not signed yet. Of an order that is placed it is the order’s own diagnosis. Counts as a quote.',
    body: explanationBody,
    answers: { 200: { description: 'The diagnosis.', schema: orderDiagnosis } },
    codes: ['MissingFrom', 'SellAmountOverflow', 'BuyAmountOverflow', 'AppDataHashMismatch'],
    examples: {
      placeable: {
        summary: 'Nothing keeps it from being filled',
        body: unsigned,
        answer: {
          code: 'placeable',
          summary: 'No known reason would keep the order from being filled.',
          since: null,
          retryable: true,
          advice: 'Sign and place it.',
          evidence: [],
          further: [],
        },
      },
      far: {
        summary: 'Its price is out of reach, and its time is over',
        body: { ...unsigned, buyAmount: '6000000000', validTo: 1_700_000_000 },
        answer: sampleFar,
      },
      nobody: {
        summary: 'Nobody is named who sells',
        body: { ...unsigned, from: null },
        refused: ['MissingFrom', 'an order without a signature needs from'],
      },
    },
  },
}
