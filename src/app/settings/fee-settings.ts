import { z } from 'zod'
import { factorScale } from '../../domain/fee/policy.ts'
import { type FeeRule, feeClasses } from '../../domain/fee/rules.ts'
import { addressText, members } from './setting-readers.ts'

const factor = z
  .number()
  .min(0)
  .lt(1)
  .transform((value) => BigInt(Math.round(value * Number(factorScale))))
  .refine((parts) => parts < factorScale, 'must be below 1 in parts per million')

const unixTime = z.iso
  .datetime({ offset: true })
  .transform((text) => Math.ceil(new Date(text).getTime() / 1_000))

const scope = { orderClass: z.enum(feeClasses).optional(), effectiveFrom: unixTime.optional() }

const share = { factor, maxVolumeFactor: factor, ...scope }

const volumeRule = members({
  kind: z.literal('volume'),
  factor,
  ...scope,
  buckets: z
    .array(members({ tokens: z.array(addressText).min(1).max(100), factor }))
    .max(20)
    .optional(),
  sameToken: z.boolean().optional(),
})

/**
 * One entry of FEE_POLICIES. A member that it does not know could be a limit that an operator relies on, and
 * is a fault.
 */
export const feeRule: z.ZodType<FeeRule> = z.discriminatedUnion('kind', [
  members({ kind: z.literal('surplus'), ...share }),
  volumeRule,
  members({ kind: z.literal('priceImprovement'), ...share }),
])
