import { builder } from '../../builder.ts'
import { hasAccess } from '../../context/access.ts'
import { tradingOn } from '../../context/networks.ts'
import { inputArgument } from '../../input/input-type.ts'
import { OrderDiagnosisRef } from '../../refs.ts'
import { ambientOf } from '../../stored/reading.ts'
import { explainOrderInput } from '../creation-input.ts'
import { countSimulation } from '../simulation.ts'

builder.queryField('explainOrder', (t) =>
  t.field({
    type: OrderDiagnosisRef,
    description:
      'What would keep an order from being placed and filled, before it is placed or even signed: all checks of placing, its account, the market’s price against its limit, and a settlement of it alone on the network’s node (that for those whom the deployment lets simulate). Nothing is stored. Of an order that is placed it is the order’s own diagnosis. At most four in a request.',
    extensions: { limited: 'quotes' },
    args: { input: inputArgument(t.arg, explainOrderInput, 'The order.') },
    resolve: async (_root, { input }, context) => {
      countSimulation(context)
      const trading = tradingOn(context, input.network)
      const { hidesCompetitions } = ambientOf(context)
      const simulates = hasAccess('simulation', context)
      const diagnosis = await trading.explainOrder(input.order, { simulates, hidesCompetitions })
      return { ...diagnosis, chainId: trading.network.chainId }
    },
  }),
)
