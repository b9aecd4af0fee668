import { writeFile } from 'node:fs/promises'
import { schemaText } from './src/graphql/schema.ts'
import { errorTable } from './src/rest/error-table.ts'
import { accountRoutes, orderBookRoutes } from './src/rest/routes.ts'

/** Writes what is made from the program and stands in the tree; tests compare. */
const made = {
  'test/graphql/schema.graphql': schemaText(),
  'docs/errors.md': errorTable([...orderBookRoutes, ...accountRoutes]),
}
for (const [file, text] of Object.entries(made)) await writeFile(new URL(file, import.meta.url), text)
