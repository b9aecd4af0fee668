import { explanationBody } from '../../../graphql/order/creation-input.ts'
import { checkedInput } from '../../row/checked-input.ts'
import { type Route, route } from '../../row/route.ts'
import { writeDiagnosis } from './result.ts'

const reason = `
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
        ... on HookEvidence { phase target outcome gasLimit gasUsed }
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
${reason}`,
    variables: ({ network, path }) => ({ network, uid: path.uid ?? '' }),
    answer: ({ order }) => order && writeDiagnosis(order.diagnosis as never),
    missing: 'Order was not found',
  }),
  route({
    on: 'POST /api/v1/orders/diagnosis',
    run: `query ($input: ExplainOrderInput!) {
      explainOrder(input: $input) { ...reason further { ...reason } }
    }
    ${reason}`,
    variables: ({ network, body }) => ({ input: { ...checkedInput(explanationBody, body), network } }),
    answer: ({ explainOrder }) => writeDiagnosis(explainOrder as never),
  }),
]
