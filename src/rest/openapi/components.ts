import { z } from 'zod'
import { graphqlDescriptions, inPlainText } from './descriptions.ts'
import { namedSchemas } from './named-schemas.ts'

type JsonSchema = Record<string, unknown> & { properties?: Record<string, Record<string, unknown>> }

const schemasPath = '#/components/schemas/'

const ids = new Map<z.ZodType, string>(Object.entries(namedSchemas).map(([id, { schema }]) => [schema, id]))

/** A reference for a named schema; any other schema inline. */
export function schemaOf(schema: z.ZodType): JsonSchema {
  const id = ids.get(schema)
  if (id !== undefined) return { $ref: schemasPath + id }
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input' })
  return json as JsonSchema
}

/** Every named schema as JSON Schema. Additional members are allowed: later versions may add some. */
export function schemaComponents(): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>()
  for (const [schema, id] of ids) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri: (id) => schemasPath + id })
  return Object.fromEntries(
    Object.entries(namedSchemas).map(([id, { graphqlType, description }]) => {
      const { $schema: _, $id: __, ...json } = schemas[id] as JsonSchema
      return [id, { ...describe(json, graphqlType), description: inPlainText(description) }]
    }),
  )
}

/** Adds descriptions to members, from GraphQL where they have none. Not to references: their target has one. */
function describe(json: JsonSchema, graphqlType: string | undefined): JsonSchema {
  if (!json.properties || graphqlType === undefined) return json
  const descriptions = graphqlDescriptions(graphqlType)
  const properties = Object.entries(json.properties).map(([name, property]) => {
    const { description: own, ...bare } = property
    const description = typeof own === 'string' ? inPlainText(own) : descriptions[name]
    return [name, '$ref' in property || description === undefined ? property : { ...bare, description }]
  })
  return { ...json, properties: Object.fromEntries(properties) }
}
