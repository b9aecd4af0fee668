import { z } from 'zod'
import { type RefusalCode, refusalCodes } from '../../../domain/errors/refusal-codes.ts'

const codes = Object.keys(refusalCodes) as RefusalCode[]

export const orderBookError = z.object({
  errorType: z.enum(codes).meta({ description: 'The code; the list is closed.' }),
  description: z.string().meta({ description: 'For people: names what to change.' }),
  data: z
    .record(z.string(), z.unknown())
    .optional()
    .meta({ description: 'Data with which a program can correct the request, where there is some.' }),
})

export const accountError = z.object({
  message: z.string().meta({ description: 'For people: names what to change.' }),
})
