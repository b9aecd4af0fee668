import type { ImplementableObjectRef } from '@pothos/core'
import { builder, type SchemaTypes } from '../builder.ts'
import type { StoredValue } from './resolve.ts'

export type ModelRef = ImplementableObjectRef<
  PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>,
  StoredValue,
  StoredValue
>

const refs = new Map<string, ModelRef>()

/** The GraphQL type of a model, by its name. */
export function modelRef(name: string): ModelRef {
  const ref = refs.get(name) ?? (builder.objectRef<StoredValue>(name) as ModelRef)
  refs.set(name, ref)
  return ref
}

/** For unions and interfaces. */
export function setModelRef(name: string, ref: unknown): void {
  refs.set(name, ref as ModelRef)
}
