import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { documentTypes, documentTypesFile } from '../../codegen/document-types.ts'
import { accountRoutes, orderBookRoutes } from '../../src/rest/routes.ts'

test('document types of the rows match the schema: after a change run `npm run codegen`', async () => {
  const file = path.join(import.meta.dirname, '..', '..', documentTypesFile)
  expect(await documentTypes([...orderBookRoutes, ...accountRoutes])).toBe(readFileSync(file, 'utf8'))
})
