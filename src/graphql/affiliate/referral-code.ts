import { enabledCode } from '../../storage/models/affiliate.ts'
import { builder } from '../builder.ts'
import { requireFeature } from '../context/features.ts'
import { exposeModel } from '../stored/expose.ts'
import { storedRoot } from '../stored/root.ts'
import { parseAffiliateCode } from './input.ts'

exposeModel(enabledCode.model())

builder.queryFields((t) => ({
  referralCode: storedRoot(t, enabledCode, {
    args: { code: t.arg.string({ required: true, description: 'Upper case.' }) },
    rowArguments: ({ code }: { code: string }, environment) => {
      requireFeature(environment, 'cms')
      return { code: parseAffiliateCode(code) }
    },
  }),
}))
