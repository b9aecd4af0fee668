import { schemaText } from '../src/graphql/schema.ts'
import { chainsPage } from './chains-page.ts'
import { errorsPage } from './errors-page.ts'
import { metricsPage } from './metrics-page.ts'
import { schemaPage } from './schema-page.ts'
import { settingsPage } from './settings-page.ts'

/** Pages of docs that follow from the program, by file. */
export async function referencePages(): Promise<Record<string, string>> {
  return {
    'docs/errors.md': errorsPage(),
    'docs/reference/schema.md': schemaPage(schemaText()),
    'docs/reference/settings.md': settingsPage(),
    'docs/reference/metrics.md': await metricsPage(),
    'docs/reference/chains.md': chainsPage(),
  }
}
