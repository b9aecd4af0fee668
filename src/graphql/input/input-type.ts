import type { ArgBuilder, InputFieldMap, InputObjectRef } from '@pothos/core'
import type { z } from 'zod'
import { builder, type SchemaTypes } from '../builder.ts'
import { graphqlTypeOf, graphqlTypes, inputSchemas, membersOf } from './fields.ts'

type Types = PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>

/** An input that is declared once: its zod schema, and the GraphQL type that is built from it. */
export interface Input<Schema extends z.ZodType> {
  description: string
  schema: Schema
  type: InputObjectRef<Types, z.output<Schema>>
}

/**
 * Builds the GraphQL type of an input from its schema: names, types, nullability, descriptions. Resolvers get
 * the schema's output.
 */
export function inputType<Schema extends z.ZodType>(
  name: string,
  { schema, ...options }: { schema: Schema; description: string; isOneOf?: true },
): Input<Schema> {
  const inputRef = builder.inputType(name, {
    ...options,
    fields: (t) => {
      const fields = Object.entries(membersOf(schema)).map(([member, field]) => {
        const { type, isList, required } = graphqlTypeOf(field)
        const description = field.meta()?.description ?? ''
        return [member, t.field({ type: (isList ? [type] : type) as 'String', required, description })]
      })
      return Object.fromEntries(fields) as InputFieldMap
    },
  })
  graphqlTypes.add(schema, { type: inputRef })
  inputSchemas.set(name, schema)
  // The builder infers the schema's input type, but resolvers get its output.
  return {
    description: options.description,
    schema,
    type: inputRef as InputObjectRef<Types, unknown> as InputObjectRef<Types, z.output<Schema>>,
  }
}

/**
 * An argument that the input's schema validates. The zod plugin walks the schema's output as well: members
 * that are inputs themselves have to stay objects there.
 */
export function inputArgument<Schema extends z.ZodType>(
  arg: ArgBuilder<Types>,
  { schema, type, ...input }: Input<Schema>,
  description = input.description,
) {
  return arg({ type, required: true, description, validate: { schema } as never })
}
