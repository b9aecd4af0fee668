import { defaultOf } from '../src/app/config.ts'
import { settings } from '../src/app/settings.ts'
import { cell, generated, page, table } from './markdown.ts'

/** Returns docs/reference/settings.md: each setting with its default and its text in `tradegraph help settings`. */
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
    '`tradegraph help settings` prints the same texts, and `tradegraph help COMMAND` those that a command reads. The [operations page](../operations.md) explains the settings that belong together, and the [how-to pages](../README.md#how-to) show the ones that hold JSON.',
    table(['setting', 'default', 'meaning'], rows),
    '[Commands](commands.md) lists the flags of each command.',
  )
}

function shown(value: unknown): string {
  if (value === undefined) return ''
  return `\`${typeof value === 'object' ? JSON.stringify(value) : String(value)}\``
}
