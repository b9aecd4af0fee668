import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { clientDocuments, clientDocumentsFile } from './codegen/client-documents.ts'
import {
  clientTypes,
  documentTypes,
  documentTypesFile,
  pageTypesFile,
  toolTypesFile,
} from './codegen/document-types.ts'
import { referencePages } from './codegen/references.ts'
import { scalarMap, schemaText } from './src/graphql/schema.ts'
import { tools } from './src/mcp/server.ts'
import { openApiDocument } from './src/rest/openapi/document.ts'
import { accountRoutes, orderBookRoutes } from './src/rest/routes.ts'
import { documents } from './src/server/pages/browser/documents.ts'

const { version } = JSON.parse(await readFile(new URL('package.json', import.meta.url), 'utf8'))

/** Generated files; tests compare them. With `--release` the schema and the OpenAPI document become the released ones. */
const made = {
  'schema.graphql': schemaText(),
  ...(process.argv.includes('--release') && {
    'test/graphql/released.graphql': schemaText(),
    'test/rest/openapi/released.json': `${JSON.stringify(openApiDocument(version), null, 2)}\n`,
  }),
  [documentTypesFile]: await documentTypes([...orderBookRoutes, ...accountRoutes]),
  [clientDocumentsFile]: await clientDocuments(),
  [pageTypesFile]: await clientTypes(documents, { filename: pageTypesFile, of: 'the pages' }),
  [toolTypesFile]: await clientTypes(Object.fromEntries(tools.map(({ name, run }) => [name, run])), {
    filename: toolTypesFile,
    of: 'the tools for agents',
  }),
  'docs/scalars.json': `${JSON.stringify(scalarMap(), null, 2)}\n`,
  ...(await referencePages()),
}
for (const [file, text] of Object.entries(made)) {
  const target = new URL(file, import.meta.url)
  await mkdir(new URL('.', target), { recursive: true })
  await writeFile(target, text)
}
