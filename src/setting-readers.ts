import { z } from 'zod'
import { type Address, toAddress } from './domain/address.ts'

export const addressText = z
  .string()
  .transform((text, context): Address => toAddress(text) ?? refuse(context, 'must be an address'))

export function jsonText<T>(schema: z.ZodType<T>) {
  return z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text)
      } catch {
        return refuse(context, 'must be JSON')
      }
    })
    .pipe(schema)
}

export function refuse(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message })
  return z.NEVER
}
