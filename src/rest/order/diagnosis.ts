import { z } from 'zod'
import { forNewOrder } from '../../domain/diagnosis/advice.ts'
import { diagnosisTexts } from '../../domain/diagnosis/code.ts'
import { explanationBody } from '../../graphql/order/placement.ts'
import type { Operations } from '../openapi/operation.ts'
import { sample } from '../openapi/sample.ts'
import { fragmentSchema } from '../openapi/selected.ts'
import { checkedInput } from '../routing/request.ts'
import { type Route, route } from '../routing/route.ts'
import { noSuchOrder } from './examples.ts'

/** A reason in the document's result. */
interface DiagnosisReasonResult {
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
  return {
    kind: kindOf(__typename),
    ...(token !== undefined && { token: (token as { address: string }).address }),
    ...evidence,
  }
}

/** Returns the kind of an object in `DiagnosisEvidence` by its type. */
function kindOf(typeName: string): string {
  const kind = typeName.replace('Evidence', '')
  return kind.charAt(0).toLowerCase() + kind.slice(1)
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
        ... on ProgrammaticOrderEvidence { owner hash status removedBlock }
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
    answer: ({ order }) => order && writeDiagnosis(order.diagnosis),
    missing: 'Order was not found',
  }),
  route({
    on: 'POST /api/v1/orders/diagnosis',
    run: `query ($input: ExplainOrderInput!) {
      explainOrder(input: $input) { ...reason further { ...reason } }
    }
    ${reasonFragment}`,
    variables: ({ network, body }) => ({ input: { ...checkedInput(explanationBody, body), network } }),
    answer: ({ explainOrder }) => writeDiagnosis(explainOrder),
  }),
]

const reason = fragmentSchema(reasonFragment, kindOf)

export const diagnosisEvidence = (reason.shape.evidence as z.ZodArray<z.ZodObject>).element

export const diagnosisReason = reason.extend({ evidence: z.array(diagnosisEvidence) })

export const orderDiagnosis = diagnosisReason.extend({ further: z.array(diagnosisReason) })

const sampleDiagnosis = {
  code: 'filled',
  summary:
    'The order is filled: 1,000,000,000,000,000,000 atoms of 0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa for 2,940,000,000 atoms of 0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.',
  since: null,
  retryable: false,
  advice: diagnosisTexts.filled.advice,
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
    { kind: 'validity', from: null, until: '2023-11-14T22:13:20Z', offeredUntil: '2023-11-14T22:12:20Z' },
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
      advice: forNewOrder,
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

const answers = { 200: { description: 'The diagnosis.', schema: orderDiagnosis } }

export const diagnosisOperations: Operations = {
  'GET /api/v1/orders/:uid/diagnosis': {
    id: 'orderDiagnosis',
    summary: 'Why an order is not filled, or how it ended',
    description:
      'Returns the reason that must be solved first, and the others, with their evidence: from stored data, and at most one read of the chain. Data of a hidden competition is left out.',
    answers,
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
    answers,
    codes: ['MissingFrom', 'SellAmountOverflow', 'BuyAmountOverflow', 'AppDataHashMismatch'],
    examples: {
      placeable: {
        summary: 'An order that can be filled',
        body: unsigned,
        answer: {
          code: 'placeable',
          summary: diagnosisTexts.placeable.meaning,
          since: null,
          retryable: true,
          advice: diagnosisTexts.placeable.advice,
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
