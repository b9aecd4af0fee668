import SchemaBuilder from '@pothos/core'
import ZodPlugin from '@pothos/plugin-zod'
import type { Address } from '../domain/evm/address.ts'
import type { Bytes32, Hex } from '../domain/evm/hex.ts'
import type { OrderUid } from '../domain/order/order.ts'
import type { Context } from './context/context.ts'
import { toRefusal } from './input/parse.ts'

/** Arguments that hold a whole input. Errors name the field inside it, as in REST, without the argument. */
export const inputArguments = ['order', 'input']

export interface SchemaTypes {
  Context: Context
  DefaultFieldNullability: false
  Scalars: {
    ID: { Input: string; Output: string }
    Address: { Input: Address; Output: Address }
    TokenAddress: { Input: Address; Output: Address }
    OrderUid: { Input: OrderUid; Output: OrderUid }
    Bytes32: { Input: Bytes32; Output: Bytes32 }
    Hex: { Input: Hex; Output: Hex }
    NetworkName: { Input: string; Output: string }
    AppDataDocument: { Input: string; Output: string }
    /** Input: digits of any size, which the input's schema checks. Output: an amount. */
    Uint256: { Input: string; Output: bigint }
    Decimal: { Input: string; Output: string }
    BasisPoints: { Input: number; Output: number }
    Uint32: { Input: number; Output: number }
    Milliseconds: { Input: number; Output: number }
    SafeInt: { Input: number; Output: number | bigint }
    DateTime: { Input: Date; Output: Date }
    JSON: { Input: unknown; Output: unknown }
    _Any: { Input: unknown; Output: unknown }
  }
}

export const builder = new SchemaBuilder<SchemaTypes>({
  plugins: [ZodPlugin],
  defaultFieldNullability: false,
  zod: { validationError: (error) => toRefusal(error, inputArguments) as Error },
})

builder.queryType({ description: 'Everything that can be read.' })
builder.mutationType({
  description: 'Everything that can be changed or requested: orders, quotes, documents, sessions, channels.',
})
builder.subscriptionType({
  description:
    'Live streams over GraphQL SSE: at /graphql/stream, and at /graphql with Accept: text/event-stream.',
})
