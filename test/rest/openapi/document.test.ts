import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { namedSchemas } from '../../../src/rest/openapi/components.ts'
import { describedRows, openApiDocument } from '../../../src/rest/openapi/document.ts'
import { operations } from '../../../src/rest/openapi/operations.ts'
import { accountRoutes, orderBookRoutes } from '../../../src/rest/routes.ts'

const root = path.join(import.meta.dirname, '..', '..', '..')

test('exactly the rows are described', () => {
  const rows = [...orderBookRoutes, ...accountRoutes].map(({ on }) => on)
  expect(Object.keys(operations).toSorted()).toEqual(rows.toSorted())
  expect(describedRows()).toHaveLength(rows.length)
  const ids = Object.values(operations).map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
})

test('every operation has an example of success, and one with input has an example of a refusal', () => {
  const shown = describedRows().map(({ row, operation }) => ({
    on: row.on,
    statuses: Object.values(operation.examples).map(({ status }) => Math.floor(status / 100)),
    isQuiet:
      row.on === 'GET /about' ||
      row.on.endsWith('/latest') ||
      row.on.endsWith('/stream') ||
      (row.hasNoBody && !row.on.includes(':')),
  }))
  expect(shown.filter(({ statuses }) => !statuses.includes(2)).map(({ on }) => on)).toEqual([])
  expect(shown.filter(({ statuses, isQuiet }) => !isQuiet && !statuses.includes(4))).toEqual([])
})

test('JSON bodies and responses have names, and every member of a named schema has a description', () => {
  const { schemas } = openApiDocument('0').components
  const named = new Set(Object.values(namedSchemas).map(({ schema }) => schema))
  for (const { row, operation } of describedRows()) {
    if (operation.body) expect([row.on, named.has(operation.body)]).toEqual([row.on, true])
  }
  const silent = Object.entries(schemas).flatMap(([name, { properties = {} }]) =>
    Object.entries(properties)
      .filter(([, property]) => !('$ref' in property) && !property.description)
      .map(([property]) => `${name}.${property}`),
  )
  expect(silent).toEqual([])
})

interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
}
interface Content {
  content?: Record<string, { schema: Schema }>
}
interface Described {
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[]
  requestBody?: Content
  responses: Record<string, Content>
}
interface Document {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Schema> }
}

/** Changes from one document to another that break clients of the first. */
function breakingChanges(before: Document, after: Document): string[] {
  const resolved = ({ components: { schemas } }: Document, schema: Schema | undefined) =>
    schema?.$ref ? schemas[schema.$ref.split('/').at(-1) ?? ''] : schema
  const compare = (
    at: string,
    was: Schema | undefined,
    is: Schema | undefined,
    isInput: boolean,
    seen: readonly unknown[] = [],
  ): string[] => {
    const [old, now] = [resolved(before, was), resolved(after, is)]
    if (!old || seen.includes(old)) return []
    if (!now) return [`${at}: gone`]
    const inner = [...seen, old]
    const values = isInput ? old.enum?.filter((value) => !now.enum?.includes(value)) : []
    const required = isInput ? now.required?.filter((name) => !old.required?.includes(name)) : []
    return [
      ...(JSON.stringify(old.type) === JSON.stringify(now.type) ? [] : [`${at}: another type`]),
      ...(now.enum ? (values ?? []).map((value) => `${at}: ${value} is not taken`) : []),
      ...(required ?? []).map((name) => `${at}.${name}: required`),
      ...Object.entries(old.properties ?? {}).flatMap(([name, property]) =>
        compare(`${at}.${name}`, property, now.properties?.[name], isInput, inner),
      ),
      ...compare(`${at}[]`, old.items, now.items, isInput, inner),
    ]
  }
  const bodyOf = (content: Content | undefined) => Object.values(content?.content ?? {})[0]?.schema
  return Object.entries(before.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, old]) => {
      const at = `${method} ${path}`
      const now = after.paths[path]?.[method]
      if (!now) return [`${at}: gone`]
      const parameters = now.parameters ?? []
      return [
        ...(old.parameters ?? []).flatMap((parameter) => {
          const same = parameters.find(
            ({ name, in: where }) => name === parameter.name && where === parameter.in,
          )
          return compare(`${at} ${parameter.name}`, parameter.schema, same?.schema, true)
        }),
        ...parameters
          .filter(({ name, required }) => required && !old.parameters?.some((other) => other.name === name))
          .map(({ name }) => `${at} ${name}: required`),
        ...compare(`${at} body`, bodyOf(old.requestBody), bodyOf(now.requestBody), true),
        ...Object.entries(old.responses).flatMap(([status, response]) =>
          now.responses[status]
            ? compare(`${at} ${status}`, bodyOf(response), bodyOf(now.responses[status]), false)
            : [`${at} ${status}: gone`],
        ),
      ]
    }),
  )
}

describe('clients of the released document', () => {
  const released: Document = JSON.parse(
    readFileSync(path.join(root, 'test', 'rest', 'openapi', 'released.json'), 'utf8'),
  )

  test('find every path, parameter, response and member that it has', () => {
    const current = JSON.parse(JSON.stringify(openApiDocument('0')))
    expect(breakingChanges(released, current)).toEqual([])
  })

  test('would notice what is gone, has another type, or is required', () => {
    const orders = '/{network}/api/v1/orders'
    const changed: Document = structuredClone(released)
    const order = changed.components.schemas.Order
    if (!order?.properties) throw new Error('no order')
    delete order.properties.uid
    order.properties.validTo = { type: 'string' }
    delete changed.paths[orders]?.delete
    changed.paths[orders]?.post?.parameters?.push({
      name: 'tip',
      in: 'query',
      required: true,
      schema: { type: 'string' },
    })
    const changes = breakingChanges(released, changed)
    expect(changes).toContain(`delete ${orders}: gone`)
    expect(changes).toContain(`post ${orders} tip: required`)
    const [one] = [`get ${orders}/{uid} 200`]
    expect(changes).toContain(`${one}.uid: gone`)
    expect(changes).toContain(`${one}.validTo: another type`)
  })
})
