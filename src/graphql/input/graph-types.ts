import type { InputRef } from '@pothos/core'
import { z } from 'zod'

/**
 * The type that a schema has in the graph: a scalar by its name, or what the builder made of an enum or an input
 * object. It stands beside the schema and not in its `meta`, which OpenAPI shows.
 */
export const graphTypes = z.registry<{ type: string | InputRef<unknown> }>()

/** As the graph types a schema. */
interface GraphType {
  type: string | InputRef<unknown>
  isList: boolean
  required: boolean
}

/** @throws when nothing is known of the schema: no type can be made of it */
export function graphTypeOf(schema: z.core.$ZodType): GraphType {
  const known = graphTypes.get(schema as z.ZodType)
  if (known) return { ...known, isList: false, required: true }
  const { def } = (schema as z.ZodType)._zod as z.ZodType['_zod'] & { def: Definition }
  if (def.type === 'array' && def.element) return { ...graphTypeOf(def.element), isList: true }
  if (def.type === 'pipe' && def.in) return graphTypeOf(def.in)
  if ((def.type === 'optional' || def.type === 'nullable') && def.innerType)
    return { ...graphTypeOf(def.innerType), required: false }
  throw new TypeError(`no type of the graph is known for a ${def.type}`)
}

interface Definition {
  type: string
  element?: z.core.$ZodType
  in?: z.core.$ZodType
  innerType?: z.core.$ZodType
}

/** The members of an object's schema, whatever is made of them when they are read. */
export function membersOf(schema: z.core.$ZodType): Record<string, z.ZodType> {
  const { def } = schema._zod as unknown as { def: Definition & { shape?: Record<string, z.ZodType> } }
  if (def.type === 'pipe' && def.in) return membersOf(def.in)
  if (def.shape) return def.shape
  throw new TypeError(`an input is made of an object, not of a ${def.type}`)
}
