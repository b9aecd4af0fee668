import { styleText } from 'node:util'
import { Command, type Help, Option } from 'commander'
import type { Settings } from '../settings.ts'
import { type CommandEntry, entries, exitMeanings, groups, type Handlers } from './catalogue.ts'

/** Width of help where the terminal is wider, or there is none. */
const widest = 100

/** The lines of settings in a help, with their defaults. */
type DescribeSettings = (names?: readonly (keyof Settings)[]) => { name: string; says: string }[]

type AnyHandler = (flags: Record<string, unknown>, given: readonly string[]) => Promise<void> | void

/**
 * Creates the parser of the command line. It throws a CommanderError after help, and where the command line
 * is wrong.
 */
export function createParser(version: string, handlers: Handlers, describe: DescribeSettings): Command {
  const program = new Command('tradegraph')
    .usage('<command> [flags]')
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help, or that of a command')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      getOutHelpWidth: () => Math.min(widest, process.stdout.columns ?? widest),
      getErrHelpWidth: () => Math.min(widest, process.stderr.columns ?? widest),
      outputError: (text, write) => write(text.replace(/^error: /, 'tradegraph: ')),
    })
    .configureHelp({
      visibleCommands: leavesOf,
      subcommandTerm: (command) => termOf(command),
      styleTitle: (text) => styleText('bold', text, { validateStream: false }),
      styleSubcommandTerm: (text) => styleText('cyan', text, { validateStream: false }),
      styleOptionTerm: (text) => styleText('cyan', text, { validateStream: false }),
    })
    .showHelpAfterError('`tradegraph help` lists the commands.')
  for (const group of groups)
    for (const [name, entry] of entries)
      if (entry.group === group) addCommand(program, name, entry, handlers[name as keyof Handlers], describe)
  return program.addHelpText(
    'after',
    '\n`tradegraph help COMMAND` describes a command, `tradegraph help settings` all settings.',
  )
}

function addCommand(
  program: Command,
  name: string,
  entry: CommandEntry,
  handler: Handlers[keyof Handlers],
  describe: DescribeSettings,
): void {
  const [first = '', second] = name.split(' ')
  const parent = second === undefined ? program : (childOf(program, first) ?? program.command(first))
  const command = parent
    .command(second ?? first)
    .summary(entry.summary)
    .description(sentence(entry.summary))
    .helpGroup(`${entry.group}:`)
    .showHelpAfterError(`\`tradegraph help ${name}\` describes the command.`)
  if (parent !== program && parent.description() === '')
    parent.helpGroup(`${entry.group}:`).description(`Commands of ${first}.`)
  if (entry.arguments !== undefined) command.arguments(entry.arguments)
  for (const [flag, { takes, says, standard, many }] of Object.entries(entry.flags)) {
    const option = new Option(`--${flag}${takes === undefined ? '' : ` <${takes}>`}`, says)
    if (many) option.argParser((value: string, before: string[]) => [...before, value]).default([], 'none')
    else if (standard !== undefined) option.default(standard, standard)
    command.addOption(option)
  }
  command.addHelpText('after', ({ command }) => furtherHelp(entry, command.createHelp(), describe))
  const run = handler as AnyHandler
  // Commands below a command would count as its arguments.
  if (entry.arguments === undefined) command.allowExcessArguments(true)
  command.action(() => {
    const [word] = command.args
    if (entry.arguments === undefined && word !== undefined) {
      const known = command.commands.map((child) => child.name()).join(', ')
      const fault = known
        ? `unknown command '${name} ${word}': ${name} has ${known}`
        : `${name} takes no '${word}'`
      command.error(`error: ${fault}`)
    }
    const values = command.options.map((option) => {
      const value = command.getOptionValue(option.attributeName())
      const isOn = option.negate ? !value : (value ?? (option.isBoolean() ? false : undefined))
      return [option.long?.slice(2), isOn]
    })
    return run(Object.fromEntries(values), command.args)
  })
}

/** The settings and exit codes of a command. */
function furtherHelp(entry: CommandEntry, help: Help, describe: DescribeSettings): string {
  help.prepareContext({ helpWidth: Math.min(widest, process.stdout.columns ?? widest) })
  const { settings, needs = [] } = entry
  const all =
    settings === 'all'
      ? ['  Any; `tradegraph help settings` lists them.', ...(needs.length > 0 ? ['  Needed are:'] : [])]
      : []
  const described = settings === 'all' ? needs : settings
  const parts = [
    ...(settings.length > 0
      ? [
          '',
          help.styleTitle('Settings, from the environment:'),
          ...all,
          ...(described.length > 0 ? items(help, describe(described)) : []),
        ]
      : []),
    '',
    help.styleTitle('Exit codes:'),
    ...items(
      help,
      Object.entries(exitsOf(entry)).map(([name, says]) => ({ name, says })),
    ),
  ]
  return parts.join('\n')
}

/** Meanings of the exit codes of a command. */
export function exitsOf({ exits = {} }: CommandEntry): Record<string, string> {
  const all = Object.entries({ ...exitMeanings, ...exits })
  return Object.fromEntries(all.flatMap(([code, says]) => (says === undefined ? [] : [[code, says]])))
}

/** Lines of a list with two columns. */
function items(help: Help, rows: readonly { name: string; says: string }[]): string[] {
  const termWidth = Math.max(...rows.map(({ name }) => name.length))
  return rows.map(({ name, says }) => help.formatItem(name, termWidth, says, help))
}

/** Prints the help of a command, of all, or the settings. */
export function printHelp(program: Command, words: readonly string[], describe: DescribeSettings): void {
  if (words.join() === 'settings') {
    const help = program.createHelp()
    help.prepareContext({ helpWidth: Math.min(widest, process.stdout.columns ?? widest) })
    process.stdout.write(`${items(help, describe()).join('\n')}\n`)
    return
  }
  let command = program
  for (const word of words) {
    const child = childOf(command, word)
    // The parser names the nearest command.
    if (!child) return void program.parse(words, { from: 'user' })
    command = child
  }
  command.outputHelp()
}

function childOf(command: Command, name: string): Command | undefined {
  return command.commands.find((child) => child.name() === name)
}

/** The commands that do something, of all levels. */
function leavesOf(command: Command): Command[] {
  return command.commands.flatMap((child) => [...(child.summary() === '' ? [] : [child]), ...leavesOf(child)])
}

/** A command as it is typed, without flags. */
function termOf(command: Command): string {
  const names = [command.parent?.parent ? command.parent.name() : '', command.name()].filter(Boolean)
  const entry: CommandEntry | undefined = entries.find(([name]) => name === names.join(' '))?.[1]
  return [...names, entry?.arguments ?? ''].filter(Boolean).join(' ')
}

const sentence = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`
