import { z } from 'zod'
import { errorMessageText, type RefusalCode, refusalCodes } from '../../domain/errors/refusal-codes.ts'

/** Values as the service writes them: hex in lowercase, amounts without leading zeros. */
export const address = z.string().regex(/^0x[0-9a-f]{40}$/)
const orderUid = z.string().regex(/^0x[0-9a-f]{112}$/)
const bytes32 = z.string().regex(/^0x[0-9a-f]{64}$/)
export const hex = z.string().regex(/^0x([0-9a-f]{2})*$/)

/** Atoms, up to uint256. */
export const amount = z.string().regex(/^(0|[1-9][0-9]{0,77})$/)

/** A plain decimal without an exponent. */
export const decimal = z.string().regex(/^-?[0-9]+(\.[0-9]+)?$/)

export const timestamp = z
  .string()
  .regex(/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?Z$/)
  .meta({ format: 'date-time' })

/** Blocks, indexes, ids, Unix seconds. */
export const count = z.int().min(0)

export const basisPoints = count.max(10_000)

/** A share from 0 to 1. */
const share = z.number().min(0).max(1)

/** Schemas of values by their GraphQL scalar. */
export const valueSchemas: Readonly<Record<string, z.ZodType>> = {
  Address: address,
  Bytes32: bytes32,
  OrderUid: orderUid,
  Hex: hex,
  Uint256: amount,
  Decimal: decimal,
  Share: share,
  Uint32: count,
  BasisPoints: basisPoints,
  SafeInt: count,
  Int: count,
  DateTime: timestamp,
  Boolean: z.boolean(),
  String: z.string(),
  ID: z.string(),
  JSON: z.record(z.string(), z.unknown()),
}

export const plainText = z.string()
export const uidText = z.string().regex(/^0x[0-9a-f]{112}$/)
export const hashText = z.string().regex(/^0x[0-9a-f]{64}$/)
export const cancelledText = z.literal('Cancelled')

const codes = Object.keys(refusalCodes) as RefusalCode[]

const errorData = z
  .record(z.string(), z.unknown())
  .optional()
  .meta({ description: 'Data with which a program can correct the request, if there is any.' })

export const orderBookError = z.object({
  errorType: z.enum(codes).meta({ description: 'The code; the list is closed.' }),
  description: z.string().meta({ description: errorMessageText }),
  data: errorData,
})

export const problem = z.object({
  type: z.string().meta({ description: 'A description of the code, relative to the service.' }),
  title: z.string().meta({ description: 'The meaning of the code.' }),
  status: z.int().meta({ description: 'The HTTP status.' }),
  detail: z.string().meta({ description: errorMessageText }),
  code: z
    .string()
    .meta({ description: 'The code; the list is closed, but for codes of a followed order book.' }),
  retryable: z.boolean().meta({ description: 'True if the same request may succeed later.' }),
  field: z.string().optional().meta({ description: 'The field at fault, if there is one.' }),
  data: errorData,
  requestId: z.string().optional().meta({ description: 'The id of the request in the log, for faults.' }),
})

export const accountError = z.object({
  message: z.string().meta({ description: errorMessageText }),
})
