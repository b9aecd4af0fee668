import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { clientDocuments, clientDocumentsFile } from '../../codegen/client-documents.ts'
import {
  clientTypes,
  documentTypes,
  documentTypesFile,
  pageTypesFile,
  toolTypesFile,
} from '../../codegen/document-types.ts'
import { tools } from '../../src/mcp/server.ts'
import { accountRoutes, orderBookRoutes } from '../../src/rest/routes.ts'
import { documents } from '../../src/server/pages/browser/documents.ts'

test('document types of the rows match the schema: after a change run `npm run codegen`', async () => {
  const file = path.join(import.meta.dirname, '..', '..', documentTypesFile)
  expect(await documentTypes([...orderBookRoutes, ...accountRoutes])).toBe(readFileSync(file, 'utf8'))
})

test('document types of the pages match the schema', async () => {
  const file = path.join(import.meta.dirname, '..', '..', pageTypesFile)
  const types = await clientTypes(documents, { filename: pageTypesFile, of: 'the pages' })
  expect(types).toBe(readFileSync(file, 'utf8'))
})

test('document types of the tools for agents match the schema', async () => {
  const file = path.join(import.meta.dirname, '..', '..', toolTypesFile)
  const named = Object.fromEntries(tools.map(({ name, run }) => [name, run]))
  const types = await clientTypes(named, { filename: toolTypesFile, of: 'the tools for agents' })
  expect(types).toBe(readFileSync(file, 'utf8'))
})

test('documents of the client match the schema and documents.graphql', async () => {
  const file = path.join(import.meta.dirname, '..', '..', clientDocumentsFile)
  expect(await clientDocuments()).toBe(readFileSync(file, 'utf8'))
})
