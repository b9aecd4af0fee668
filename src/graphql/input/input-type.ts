import type { ArgBuilder, InputFieldMap, InputObjectRef } from '@pothos/core'
import type { z } from 'zod'
import { builder, type SchemaTypes } from '../builder.ts'
import { graphTypeOf, graphTypes, membersOf } from './graph-types.ts'

type Types = PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>

/** An input that is declared once: the schema that reads it, and the graph's type that follows from the schema. */
export interface Input<Schema extends z.ZodType> {
  schema: Schema
  type: InputObjectRef<Types, z.output<Schema>>
}

/**
 * Makes the graph's type of an input from the schema that reads it: names, types, what may be left out, descriptions.
 * A resolver gets what the schema made of it.
 */
export function inputType<Schema extends z.ZodType>(
  name: string,
  { schema, ...more }: { schema: Schema; description: string; isOneOf?: true },
): Input<Schema> {
  const made = builder.inputType(name, {
    ...more,
    fields: (t) => {
      const fields = Object.entries(membersOf(schema)).map(([member, field]) => {
        const { type, isList, required } = graphTypeOf(field)
        const description = field.meta()?.description ?? ''
        return [member, t.field({ type: (isList ? [type] : type) as 'String', required, description })]
      })
      return Object.fromEntries(fields) as InputFieldMap
    },
  })
  graphTypes.add(schema, { type: made })
  // What the builder would read off its fields is what goes in; what a resolver gets is what the schema hands on.
  return { schema, type: made as InputObjectRef<Types, unknown> as InputObjectRef<Types, z.output<Schema>> }
}

/**
 * An argument that is read by its input's schema. The plugin looks at what the schema hands on once more: members that
 * are inputs themselves have to be objects there, too.
 */
export function inputArgument<Schema extends z.ZodType>(
  arg: ArgBuilder<Types>,
  { schema, type }: Input<Schema>,
  description: string,
) {
  return arg({ type, required: true, description, validate: { schema } as never })
}
