import { type CommandEntry, entries, exitMeanings, groups } from '../src/app/commands/catalogue.ts'
import { exitsOf } from '../src/app/commands/parser.ts'
import { cell, generated, page, table } from './markdown.ts'

/** Returns docs/reference/commands.md: each command with its flags, settings and exit codes. */
export function commandsPage(): string {
  return page(
    '# Commands',
    generated,
    'In a clone a command is `npm run tradegraph -- COMMAND`; where the package is installed it is `tradegraph COMMAND`. `tradegraph help` lists the commands, `tradegraph help COMMAND` prints the facts of this page, and `tradegraph completion` prints a script that completes them in bash, zsh or fish.',
    'Unless a command states otherwise, its exit codes are:',
    exitTable(Object.entries(exitMeanings)),
    'Help has colours in a terminal. `NO_COLOR` switches them off, `FORCE_COLOR` on.',
    ...groups.flatMap((group) => [
      `## ${group}`,
      ...entries
        .filter(([, entry]) => entry.group === group)
        .flatMap(([name, entry]) => section(name, entry)),
    ]),
  )
}

function section(name: string, entry: CommandEntry): string[] {
  const flags = Object.entries(entry.flags).map(([flag, { takes, says, standard }]) => [
    `\`--${flag}${takes === undefined ? '' : ` <${takes}>`}\``,
    standard === undefined ? '' : `\`${standard}\``,
    cell(says),
  ])
  const settings = entry.settings === 'all' ? 'any' : entry.settings.map(asSetting).join(', ') || 'none'
  const needs = entry.needs ? `; needed: ${entry.needs.map(asSetting).join(', ')}` : ''
  const own = Object.entries(exitsOf(entry)).filter(([code, says]) => exitMeanings[Number(code)] !== says)
  return [
    `### ${name}`,
    `\`tradegraph ${[name, entry.arguments].filter(Boolean).join(' ')}\`: ${entry.summary}.`,
    ...(flags.length > 0 ? [table(['flag', 'default', 'meaning'], flags)] : []),
    `[Settings](settings.md): ${settings}${needs}.`,
    ...(own.length > 0 ? [exitTable(own)] : []),
  ]
}

const asSetting = (name: string) => `\`${name}\``

const exitTable = (codes: readonly (readonly [string, string])[]) => table(['exit code', 'meaning'], codes)
