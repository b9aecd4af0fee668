import type { ArgBuilder } from '@pothos/core'
import { Refusal } from '../domain/error.ts'
import type { SchemaTypes } from './builder.ts'

type Arguments = ArgBuilder<PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>>

export const largestPage = 1_000

export function networkArgument(arg: Arguments, description: string) {
  return arg.string({
    required: false,
    description: `A network by name or chain id, such as sepolia. ${description}`,
  })
}

/** A page by keyset: how many, and behind which cursor. */
export function cursorArguments(arg: Arguments) {
  return {
    first: arg.int({
      defaultValue: 10,
      required: true,
      description: `Size of the page, 1 to ${largestPage}.`,
    }),
    after: arg.string({ required: false, description: 'The cursor to continue behind.' }),
  }
}

/** A page by offset, as the REST contract has it. */
export function offsetArguments(arg: Arguments) {
  return {
    offset: arg({ type: 'SafeInt', defaultValue: 0, required: true, description: 'How many to leave out.' }),
    limit: arg.int({
      defaultValue: 10,
      required: true,
      description: `Size of the page, 1 to ${largestPage}.`,
    }),
  }
}

export function checkFirst(first: number): void {
  if (first >= 1 && first <= largestPage) return
  throw new Refusal('InvalidParameter', `first must be from 1 to ${largestPage}`, { field: 'first' })
}

export function checkLimit(limit: number, code: 'InvalidLimit' | 'LIMIT_OUT_OF_BOUNDS'): void {
  if (limit >= 1 && limit <= largestPage) return
  throw new Refusal(code, `limit must be from 1 to ${largestPage}`, { field: 'limit' })
}
