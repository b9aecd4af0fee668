import { enabledCode } from '../storage/models/affiliate.ts'
import { builder } from './builder.ts'
import { requireFeature } from './features.ts'
import { parseAffiliateCode } from './inputs/affiliate.ts'
import { exposeModel } from './stored/expose.ts'
import { storedRoot } from './stored/root.ts'

exposeModel(enabledCode.model())

builder.queryFields((t) => ({
  referralCode: storedRoot(t, enabledCode, {
    args: { code: t.arg.string({ required: true, description: 'Upper case.' }) },
    given: ({ code }: { code: string }, environment) => {
      requireFeature(environment, 'cms')
      return { code: parseAffiliateCode(code) }
    },
  }),
}))
