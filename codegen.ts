import { readFile, writeFile } from 'node:fs/promises'
import { schemaText } from './src/graphql/schema.ts'
import { errorTable } from './src/rest/error-table.ts'
import { openApiDocument } from './src/rest/openapi/document.ts'
import { accountRoutes, orderBookRoutes } from './src/rest/routes.ts'

const { version } = JSON.parse(await readFile(new URL('package.json', import.meta.url), 'utf8'))

/** Writes what is made from the program and stands in the tree; tests compare. */
const made = {
  'test/graphql/schema.graphql': schemaText(),
  'docs/errors.md': errorTable([...orderBookRoutes, ...accountRoutes]),
  'docs/openapi.json': `${JSON.stringify(openApiDocument(version), null, 2)}\n`,
}
for (const [file, text] of Object.entries(made)) await writeFile(new URL(file, import.meta.url), text)
