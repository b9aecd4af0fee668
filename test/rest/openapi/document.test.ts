import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { describedRows, openApiDocument } from '../../../src/rest/openapi/document.ts'
import { namedSchemas } from '../../../src/rest/openapi/named-schemas.ts'
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

test('docs/openapi.json is this document: after a change run `npm run codegen`', () => {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  const written = readFileSync(path.join(root, 'docs', 'openapi.json'), 'utf8')
  expect(`${JSON.stringify(openApiDocument(version), null, 2)}\n`).toBe(written)
})
