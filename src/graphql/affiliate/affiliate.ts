import { affiliateTypedData } from '../../domain/affiliate/affiliate.ts'
import { affiliate, affiliateOf } from '../../storage/models/affiliate.ts'
import { builder } from '../builder.ts'
import { requireFeature } from '../context/features.ts'
import { exposeModel } from '../stored/expose.ts'
import { storedRoot } from '../stored/root.ts'
import { parseAffiliateCode } from './input.ts'

exposeModel(affiliate)

builder.queryFields((t) => ({
  affiliate: storedRoot(t, affiliateOf, {
    args: { wallet: t.arg({ type: 'Address', required: true, description: 'Any letter case.' }) },
    rowArguments: (args, environment) => {
      requireFeature(environment, 'cms')
      return args
    },
  }),
}))

builder.queryField('affiliateTypedData', (t) =>
  t.field({
    type: 'JSON',
    description:
      'What a wallet signs to register a code: the whole EIP-712 payload, as eth_signTypedData_v4 takes it. Nothing is reserved by asking.',
    args: {
      wallet: t.arg({ type: 'Address', required: true, description: 'Who will sign.' }),
      code: t.arg.string({ required: true, description: 'As it is to be registered.' }),
    },
    resolve: (_root, { wallet, code }, context) => {
      requireFeature(context, 'cms')
      return affiliateTypedData(context.affiliates.brand, { wallet, code: parseAffiliateCode(code) })
    },
  }),
)
