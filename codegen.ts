import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { clientDocuments, clientDocumentsFile } from './codegen/client-documents.ts'
import {
  clientTypes,
  documentTypes,
  documentTypesFile,
  pageTypesFile,
  toolTypesFile,
} from './codegen/document-types.ts'
import { scalarMap, schemaText } from './src/graphql/schema.ts'
import { tools } from './src/mcp/server.ts'
import { openApiDocument } from './src/rest/openapi/document.ts'
import { accountRoutes, orderBookRoutes } from './src/rest/routes.ts'
import { documents } from './src/server/pages/browser/documents.ts'

/** Files that are made in each clone and are not in git; `--documents` makes no others. */
const documentFiles = {
  [documentTypesFile]: await documentTypes([...orderBookRoutes, ...accountRoutes]),
  [clientDocumentsFile]: await clientDocuments(),
  [pageTypesFile]: await clientTypes(documents, { filename: pageTypesFile, of: 'the pages' }),
  [toolTypesFile]: await clientTypes(Object.fromEntries(tools.map(({ name, run }) => [name, run])), {
    filename: toolTypesFile,
    of: 'the tools for agents',
  }),
}

/**
 * Files in git, which tests compare. With `--release` the schema and the OpenAPI document become the released
 * ones.
 */
async function filesInGit(): Promise<Record<string, string>> {
  const { version } = JSON.parse(await readFile(new URL('package.json', import.meta.url), 'utf8'))
  const { referencePages } = await import('./codegen/references.ts')
  return {
    'schema.graphql': schemaText(),
    ...(process.argv.includes('--release') && {
      'test/graphql/released.graphql': schemaText(),
      'test/rest/openapi/released.json': `${JSON.stringify(openApiDocument(version), null, 2)}\n`,
    }),
    'docs/scalars.json': `${JSON.stringify(scalarMap(), null, 2)}\n`,
    ...(await referencePages()),
  }
}

const made = { ...documentFiles, ...(!process.argv.includes('--documents') && (await filesInGit())) }
for (const [file, text] of Object.entries(made)) {
  const target = new URL(file, import.meta.url)
  // A file that is right stays as it is: another process may be reading it.
  if ((await readFile(target, 'utf8').catch(() => undefined)) === text) continue
  await mkdir(new URL('.', target), { recursive: true })
  await writeFile(target, text)
}
