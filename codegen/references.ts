import { chainsPage } from './chains-page.ts'
import { commandsPage } from './commands-page.ts'
import { errorsPage } from './errors-page.ts'
import { membersPage } from './members-page.ts'
import { metricsPage } from './metrics-page.ts'
import { settingsPage } from './settings-page.ts'

/** Returns the documentation pages that are generated from the program, by file. */
export async function referencePages(): Promise<Record<string, string>> {
  return {
    'docs/errors.md': errorsPage(),
    'docs/reference/settings.md': settingsPage(),
    'docs/reference/commands.md': commandsPage(),
    'docs/reference/metrics.md': await metricsPage(),
    'docs/reference/chains.md': chainsPage(),
    'docs/reference/members.md': membersPage(),
  }
}
