import { z } from 'zod'
import { diagnosisCodes } from '../../domain/diagnosis/code.ts'
import { cancellationSources } from '../../domain/order/event.ts'
import { hookOutcomes, hookPhases } from '../../domain/settlement/hooks.ts'
import { explanationBody } from '../../graphql/order/placement.ts'
import type { Operations } from '../openapi/operation.ts'
import { address, amount, bytes32, count, decimal, orderUid, timestamp } from '../openapi/primitives.ts'
import { sample } from '../openapi/sample.ts'
import { checkedInput } from '../routing/request.ts'
import { type Route, route } from '../routing/route.ts'
import { noSuchOrder } from './examples.ts'

/** A reason in the document's result. */
export interface DiagnosisReasonResult {
  evidence: readonly (Readonly<Record<string, unknown>> & { __typename: string })[]
}

type DiagnosisResult = DiagnosisReasonResult & { further: readonly DiagnosisReasonResult[] }

/** Writes the GraphQL diagnosis, but evidence has its kind, and tokens are addresses. */
function writeDiagnosis({ further, ...reason }: DiagnosisResult) {
  return { ...writeReason(reason), further: further.map(writeReason) }
}

function writeReason({ evidence, ...reason }: DiagnosisReasonResult) {
  return { ...reason, evidence: evidence.map(writeEvidence) }
}

function writeEvidence({ __typename, token, ...evidence }: DiagnosisReasonResult['evidence'][number]) {
  const kind = __typename.replace('Evidence', '')
  return {
    kind: kind.charAt(0).toLowerCase() + kind.slice(1),
    ...(token !== undefined && { token: (token as { address: string }).address }),
    ...evidence,
  }
}

const reasonFragment = `
    fragment reason on Diagnosed {
      code summary since retryable advice
      evidence {
        __typename
        ... on AmountsEvidence { token { address } needed available missing }
        ... on TokenEvidence { token { address } }
        ... on PoolEvidence { pool }
        ... on PriceEvidence {
          limit { decimal sellAmount buyAmount } best { decimal sellAmount buyAmount } foundAt foundAtBlock foundBy foundInAuction
          gapPercent gapSeenAt dayMovementPercent secondsNeeded
        }
        ... on FeeEvidence { token { address } fee left leastAmount }
        ... on CompetitionEvidence { auctionId solver score winningScore scoreGap refusal }
        ... on BlocksEvidence { number at head }
        ... on TransactionEvidence { txHash block }
        ... on OrderEvidence { uid }
        ... on RevertEvidence { reason }
        ... on HookEvidence { phase index target outcome gasLimit gasUsed }
        ... on ValidityEvidence { from until offeredUntil }
        ... on CancellationEvidence { by detail }
        ... on RefusalEvidence { code field message }
      }
    }`

export const diagnosisRoutes: Route[] = [
  route({
    on: 'GET /api/v1/orders/:uid/diagnosis',
    run: `query ($network: NetworkName!, $uid: OrderUid!) {
      order(uid: $uid, network: $network) {
        diagnosis { ...reason further { ...reason } }
      }
    }
${reasonFragment}`,
    variables: ({ network, path }) => ({ network, uid: path.uid ?? '' }),
    answer: ({ order }) => order && writeDiagnosis(order.diagnosis as never),
    missing: 'Order was not found',
  }),
  route({
    on: 'POST /api/v1/orders/diagnosis',
    run: `query ($input: ExplainOrderInput!) {
      explainOrder(input: $input) { ...reason further { ...reason } }
    }
    ${reasonFragment}`,
    variables: ({ network, body }) => ({ input: { ...checkedInput(explanationBody, body), network } }),
    answer: ({ explainOrder }) => writeDiagnosis(explainOrder as never),
  }),
]

const percent = z.string().regex(/^-?[0-9]+(\.[0-9]+)?$/)
const token = address.describe('The token.')

const priceAmounts = z.object({
  decimal: decimal.describe('Buy atoms for one sell atom, with 36 decimals, rounded down.'),
  sellAmount: amount.describe('Sell atoms.'),
  buyAmount: amount.describe('Buy atoms.'),
})

export const diagnosisEvidence = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('amounts').describe('The needed and the available amount of a token.'),
    token,
    needed: amount.describe('Atoms that the order needs.'),
    available: amount.describe('Atoms that are available.'),
    missing: amount.describe('Atoms that are missing.'),
  }),
  z.object({ kind: z.literal('token').describe('The token of the reason.'), token }),
  z.object({
    kind: z.literal('pool').describe('The pool of the reason.'),
    pool: address.describe('Its contract.'),
  }),
  z.object({
    kind: z.literal('price').describe('The limit of the order against the market.'),
    limit: priceAmounts.describe('The limit price of the order.'),
    best: priceAmounts.nullable().describe('The best observed price; null without one.'),
    foundAt: timestamp.nullable().describe('The time of the best price.'),
    foundAtBlock: count.nullable().describe('The block of the best price.'),
    foundBy: address.nullable().describe('The solver that proposed it; null for the service’s router.'),
    foundInAuction: count.nullable().describe('The auction of the best price; null for the router.'),
    gapPercent: percent
      .nullable()
      .describe('The distance of the newest price from the limit, in per cent; negative if it is better.'),
    gapSeenAt: timestamp.nullable().describe('The time of that gap. Small later changes are not stored.'),
    dayMovementPercent: percent
      .nullable()
      .describe('The market’s movement within the last day, in per cent; positive towards the limit.'),
    secondsNeeded: count
      .nullable()
      .describe('The seconds that the market needs to close the gap at that rate; null if it moves away.'),
  }),
  z.object({
    kind: z.literal('fee').describe('The network fee, and the amount that the price leaves for it.'),
    token,
    fee: amount.describe('Atoms that a settlement of the order alone would cost.'),
    left: amount.describe('Atoms that the price leaves for it.'),
    leastAmount: amount
      .nullable()
      .describe('The minimum sell amount that pays the same fee at the same price; null if no size does.'),
  }),
  z.object({
    kind: z.literal('competition').describe('A solution for the order, and its outcome.'),
    auctionId: count.describe('The auction.'),
    solver: address.describe('The solver of the solution.'),
    score: amount.nullable().describe('Its score in native atoms; null if it was refused before scoring.'),
    winningScore: amount.nullable().describe('The score of the best winner; null without one.'),
    scoreGap: amount
      .nullable()
      .describe('The amount by which its score is below the winning one; null if it is not.'),
    refusal: z.string().nullable().describe('The reason of its refusal; null if it was not refused.'),
  }),
  z.object({
    kind: z.literal('blocks').describe('The block of the reason.'),
    number: count.describe('The last block that was seen, or that counts.'),
    at: timestamp.nullable().describe('Its time; null if unknown.'),
    head: count.nullable().describe('The newest block; null if unknown.'),
  }),
  z.object({
    kind: z.literal('transaction').describe('The transaction of the reason.'),
    txHash: bytes32.describe('Its hash.'),
    block: count.nullable().describe('Its block; null while it is in none, or if unknown.'),
  }),
  z.object({
    kind: z.literal('order').describe('The other order of the reason.'),
    uid: orderUid.describe('Its UID.'),
  }),
  z.object({
    kind: z.literal('revert').describe('The response of a contract.'),
    reason: z.string().describe('The revert reason as text; hex if it has none.'),
  }),
  z.object({
    kind: z.literal('hook').describe('A hook of the order, in a settlement or in a simulation of one.'),
    phase: z.enum(hookPhases).describe('The time at which it runs: before or after the trade.'),
    index: count.describe('Its place among the hooks of that phase; 0 is the first.'),
    target: address.describe('The contract that it calls.'),
    outcome: z.enum(hookOutcomes).describe('The outcome of the hook: success, or the reason of its failure.'),
    gasLimit: amount.nullable().describe('Gas units that it may use; null if they are not known.'),
    gasUsed: amount.nullable().describe('Gas units that it used; null if they are not known.'),
  }),
  z.object({
    kind: z.literal('validity').describe('The time in which the order may be traded.'),
    from: timestamp.nullable().describe('The first time; null for at once.'),
    until: timestamp.describe('The last time.'),
    offeredUntil: timestamp.describe(
      'The end of its offer in auctions: `until` minus the current setting ORDER_MIN_VALIDITY.',
    ),
  }),
  z.object({
    kind: z.literal('cancellation').describe('The source of the cancellation.'),
    by: z.enum(cancellationSources).describe('The source.'),
    detail: z.string().nullable().describe('Further details as text; null without any.'),
  }),
  z.object({
    kind: z.literal('refusal').describe('The error with which the service would refuse to place the order.'),
    code: z.string().describe('Its code, of the list of errors.'),
    field: z.string().nullable().describe('The invalid member of the order; null if there is none.'),
    message: z.string().describe('The description of the error.'),
  }),
])

const reason = {
  code: z.enum(diagnosisCodes).describe('The reason.'),
  summary: z.string().describe('The reason in words, with figures.'),
  since: timestamp.nullable().describe('The time since which it applies; null if unknown.'),
  retryable: z
    .boolean()
    .describe('True if waiting may be enough, without a change of the order or its account.'),
  advice: z.string().describe('The advised action.'),
  evidence: z.array(diagnosisEvidence).describe('The facts behind it.'),
}

export const diagnosisReason = z.object(reason)

export const orderDiagnosis = z.object({
  ...reason,
  further: z.array(diagnosisReason).describe('The other reasons, in the order in which they must be solved.'),
})

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
      'Returns the reason that must be solved first, and the others, with their evidence: from stored data, and at most one read of the chain. Data of a hidden competition is left out.',
    answers: { 200: { description: 'The diagnosis.', schema: orderDiagnosis } },
    examples: {
      filled: { summary: 'A filled order', path: { uid: sample.settled }, answer: sampleDiagnosis },
      ...noSuchOrder,
    },
  },
  'POST /api/v1/orders/diagnosis': {
    id: 'explainOrder',
    summary: 'Why an order would not be filled, before it is placed or signed',
    description:
      'Makes all checks of placing, beyond the first fault; checks the account, and the market price against the limit; simulates a settlement of the order alone on the network’s node, if the setting `SIMULATION_ACCESS` lets the caller simulate. Nothing is stored. An order without `signature` counts as not signed yet. For a placed order, returns its own diagnosis. Counts as a quote.',
    body: explanationBody,
    answers: { 200: { description: 'The diagnosis.', schema: orderDiagnosis } },
    codes: ['MissingFrom', 'SellAmountOverflow', 'BuyAmountOverflow', 'AppDataHashMismatch'],
    examples: {
      placeable: {
        summary: 'An order that can be filled',
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
        summary: 'The price is out of reach, and the order has expired',
        body: { ...unsigned, buyAmount: '6000000000', validTo: 1_700_000_000 },
        answer: sampleFar,
      },
      nobody: {
        summary: 'No owner is named',
        body: { ...unsigned, from: null },
        refused: ['MissingFrom', 'an order without a signature needs from'],
      },
    },
  },
}
