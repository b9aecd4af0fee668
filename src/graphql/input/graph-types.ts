import type { InputRef } from '@pothos/core'
import { z } from 'zod'

/**
 * The GraphQL type of a zod schema: a scalar by its name, or the builder's ref of an enum or an input object. Kept
 * out of the schema's `meta`, which OpenAPI shows.
 */
export const graphqlTypes = z.registry<{ type: string | InputRef<unknown> }>()

/** Schemas of inputs by the names of their GraphQL types. */
export const inputSchemas = new Map<string, z.ZodType>()

interface GraphqlType {
  type: string | InputRef<unknown>
  isList: boolean
  required: boolean
}

/** @throws TypeError for a schema that no GraphQL type is registered for */
export function graphqlTypeOf(schema: z.core.$ZodType): GraphqlType {
  const registered = graphqlTypes.get(schema as z.ZodType)
  if (registered) return { ...registered, isList: false, required: true }
  const { def } = (schema as z.ZodType)._zod as z.ZodType['_zod'] & { def: Definition }
  if (def.type === 'array' && def.element) return { ...graphqlTypeOf(def.element), isList: true }
  if (def.type === 'pipe' && def.in) return graphqlTypeOf(def.in)
  if ((def.type === 'optional' || def.type === 'nullable') && def.innerType)
    return { ...graphqlTypeOf(def.innerType), required: false }
  throw new TypeError(`no GraphQL type is registered for a ${def.type}`)
}

interface Definition {
  type: string
  element?: z.core.$ZodType
  in?: z.core.$ZodType
  innerType?: z.core.$ZodType
}

/** Member schemas of an object, also of one that is transformed after parsing. */
export function membersOf(schema: z.core.$ZodType): Record<string, z.ZodType> {
  const { def } = schema._zod as unknown as { def: Definition & { shape?: Record<string, z.ZodType> } }
  if (def.type === 'pipe' && def.in) return membersOf(def.in)
  if (def.shape) return def.shape
  throw new TypeError(`an input is made of an object, not of a ${def.type}`)
}
