import { adviceOf } from '../../domain/diagnosis/advice.ts'
import { type DiagnosisCode as Code, diagnosisCodes, diagnosisTexts } from '../../domain/diagnosis/code.ts'
import type { DiagnosisKey } from '../../storage/loaders.ts'
import { diagnosisFacts } from '../../storage/order/diagnosis-facts.ts'
import type { Selected } from '../../storage/query/selection.ts'
import { builder } from '../builder.ts'
import { hasAccess } from '../context/access.ts'
import { tradingOn } from '../context/networks.ts'
import { defineEnum } from '../enums.ts'
import { inputArgument } from '../input/input-type.ts'
import { DiagnosedRef, DiagnosisReasonRef, OrderDiagnosisRef, OrderRef } from '../refs.ts'
import { ambientOf } from '../stored/reading.ts'
import { identityOf } from '../stored/resolve.ts'
import { DiagnosisEvidence } from './diagnosis-evidence.ts'
import { explainOrderInput } from './placement.ts'
import { countSimulation } from './simulation.ts'

const descriptions = Object.fromEntries(
  diagnosisCodes.map((code) => [code, diagnosisTexts[code].meaning]),
) as Record<Code, string>

const DiagnosisCode = defineEnum(
  'DiagnosisCode',
  'A reason why an order is not filled, or its end. Values are in the order in which they have to be solved.',
  diagnosisCodes,
  descriptions,
)

DiagnosedRef.implement({
  description: 'A reason why an order is not filled, or how it ended, with what proves it.',
  fields: (t) => ({
    code: t.expose('code', { type: DiagnosisCode, description: 'The reason.' }),
    summary: t.exposeString('summary', { description: 'The reason in words, with figures.' }),
    ownSummary: t.exposeString('ownSummary', {
      description:
        'The same in words of the service alone: tokens by their addresses, and answers of contracts and solvers left to the evidence.',
    }),
    since: t.expose('since', {
      type: 'DateTime',
      nullable: true,
      description: 'The time since which it applies; null if unknown.',
    }),
    retryable: t.boolean({
      description: 'True if waiting may be enough, without a change of the order or its account.',
      resolve: ({ code }) => diagnosisTexts[code].retryable,
    }),
    advice: t.string({ description: 'The advised action.', resolve: adviceOf }),
    evidence: t.field({
      type: [DiagnosisEvidence],
      description: 'The facts behind it.',
      extensions: { items: 2 },
      resolve: ({ evidence, chainId }) => evidence.map((each) => ({ ...each, chainId })),
    }),
  }),
})

DiagnosisReasonRef.implement({
  description: 'A further reason, which has to be solved too.',
  interfaces: [DiagnosedRef],
})

OrderDiagnosisRef.implement({
  description:
    'The reasons why an order is not filled, or its end: the one that has to be solved first, and the others.',
  interfaces: [DiagnosedRef],
  fields: (t) => ({
    further: t.field({
      type: [DiagnosisReasonRef],
      description: 'The other reasons, in the order in which they must be solved.',
      extensions: { items: 2 },
      resolve: ({ further, chainId }) => further.map((reason) => ({ ...reason, chainId })),
    }),
  }),
})

/** Weight in objects: reading its facts takes as long as some small reads. */
const weight = 40

builder.objectField(OrderRef, 'diagnosis', (t) =>
  t.field({
    type: OrderDiagnosisRef,
    description:
      'The reasons why the order is not filled, or its end, from stored facts and up to one look at the chain; on a network that follows an order book also from its prices.',
    extensions: { weight, needs: { facts: diagnosisFacts } satisfies Selected['needs'] },
    resolve: async (parent, _args, { loaders }) => {
      const key = identityOf<DiagnosisKey>(parent)
      return { ...(await loaders.diagnosis.load(key)), chainId: key.chainId }
    },
  }),
)

builder.queryField('explainOrder', (t) =>
  t.field({
    type: OrderDiagnosisRef,
    description:
      'The reasons that would keep an order from being placed and filled, before it is placed or even signed: all checks of placing, its account, the market’s price against its limit, and a settlement of it alone on the network’s node (for clients that the deployment lets simulate). Nothing is stored. An order that is placed gets its own diagnosis. Up to four in a request.',
    extensions: { limited: 'quotes' },
    args: { input: inputArgument(t.arg, explainOrderInput) },
    resolve: async (_root, { input }, context) => {
      countSimulation(context)
      const trading = tradingOn(context, input.network)
      const { hidesCompetitions } = ambientOf(context)
      const simulates = hasAccess('simulation', context)
      const options = { simulates, hidesCompetitions }
      const diagnosis = await trading.explainOrder(input.order, options, context)
      return { ...diagnosis, chainId: trading.network.chainId }
    },
  }),
)
