import { z } from 'zod'
import { graphDescriptions, inPlainText } from './descriptions.ts'
import { namedSchemas } from './named-schemas.ts'

type JsonSchema = Record<string, unknown> & { properties?: Record<string, Record<string, unknown>> }

const place = '#/components/schemas/'

const ids = new Map<z.ZodType, string>(Object.entries(namedSchemas).map(([id, { schema }]) => [schema, id]))

/** Of what has a name its place among the components, of anything else the schema itself: what a client sends, or may read. */
export function schemaOf(schema: z.ZodType): JsonSchema {
  const id = ids.get(schema)
  if (id !== undefined) return { $ref: place + id }
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input' })
  return json as JsonSchema
}

/** Every named schema as JSON Schema. Members that no schema has may be added later: readers have to live with them. */
export function schemaComponents(): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>()
  for (const [schema, id] of ids) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri: (id) => place + id })
  return Object.fromEntries(
    Object.entries(namedSchemas).map(([id, { graph, description }]) => {
      const { $schema: _, $id: __, ...json } = schemas[id] as JsonSchema
      return [id, { ...describe(json, graph), description: inPlainText(description) }]
    }),
  )
}

/** A reference stands alone: what it points to has a description of its own. */
function describe(json: JsonSchema, graph: string | undefined): JsonSchema {
  if (!json.properties || graph === undefined) return json
  const known = graphDescriptions(graph)
  const properties = Object.entries(json.properties).map(([name, property]) => {
    const { description: own, ...bare } = property
    const description = typeof own === 'string' ? inPlainText(own) : known[name]
    return [name, '$ref' in property || description === undefined ? property : { ...bare, description }]
  })
  return { ...json, properties: Object.fromEntries(properties) }
}
