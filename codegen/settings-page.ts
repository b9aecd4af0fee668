import { defaultOf } from '../src/app/config.ts'
import { settings } from '../src/app/settings.ts'
import { cell, generated, page, table } from './markdown.ts'

/** Returns docs/reference/settings.md: each setting with its default and its text in `--help`. */
export function settingsPage(): string {
  const rows = Object.entries(settings.shape).map(([name, schema]) => [
    `\`${name}\``,
    shown(defaultOf(schema)),
    cell(schema.description ?? ''),
  ])
  return page(
    '# Settings',
    generated,
    'The process reads its settings from environment variables. An empty variable counts as unset. At start the process checks all of them and reports every fault at once.',
    '`node --import tsx src/app/commands/tradegraph.ts --help` prints the same texts. The [operations page](../operations.md) explains the settings that belong together, and the [how-to pages](../README.md#how-to) show the ones that hold JSON.',
    table(['setting', 'default', 'meaning'], rows),
    'The command `dev` also takes flags: `--port`, `--home`, `--reset` and `--no-traders`.',
  )
}

function shown(value: unknown): string {
  if (value === undefined) return ''
  return `\`${typeof value === 'object' ? JSON.stringify(value) : String(value)}\``
}
