import { CommandFault, type ExitCode, exitCodes, type Service } from './ask.ts'
import { explain, type Output } from './explain.ts'
import { plain } from './text.ts'
import { watch } from './watch.ts'

export interface CommandFlags {
  url: string
  json: boolean
  after?: string | undefined
  timeout: string
}

interface CommandOptions {
  flags: CommandFlags
  random(): number
  print(line: string): void
  warn(line: string): void
}

export const commandUsage = `usage: tradegraph explain UID [--url URL] [--json] [--timeout SECONDS]
       tradegraph watch UID|ACCOUNT [--url URL] [--json] [--timeout SECONDS] [--after CURSOR]`

/** Runs a command that asks a service. @returns its exit code */
export async function runCommand(
  command: 'explain' | 'watch',
  subjects: readonly string[],
  { flags, random, print, warn }: CommandOptions,
): Promise<ExitCode> {
  const output: Output = { print, json: flags.json }
  try {
    const service = serviceOf(flags)
    const subject = subjectOf(command, subjects)
    if (command === 'explain') await explain(subject, service, output)
    else {
      const after = flags.after === undefined ? {} : { after: flags.after }
      await watch({ subject, service, output, ...after, random, warn: (line) => warn(`tradegraph: ${line}`) })
    }
    return exitCodes.done
  } catch (fault) {
    if (!(fault instanceof CommandFault)) throw fault
    warn(`tradegraph: ${plain(fault.message)}`)
    if (fault.exitCode === exitCodes.usage) warn(commandUsage)
    return fault.exitCode
  }
}

function subjectOf(command: 'explain' | 'watch', [subject = '', ...more]: readonly string[]): string {
  const isUid = /^0x[0-9a-fA-F]{112}$/.test(subject)
  const isAccount = command === 'watch' && /^0x[0-9a-fA-F]{40}$/.test(subject)
  if (more.length === 0 && (isUid || isAccount)) return subject.toLowerCase()
  const wanted = command === 'watch' ? 'the UID of an order or an account' : 'the UID of an order'
  throw new CommandFault(
    exitCodes.usage,
    `${command} takes ${wanted}: 0x and 112 ${command === 'watch' ? 'or 40 ' : ''}hex digits`,
  )
}

function serviceOf({ url, timeout }: CommandFlags): Service {
  const seconds = Number(timeout)
  if (!(seconds >= 1 && seconds <= 600))
    throw new CommandFault(exitCodes.usage, '--timeout must be a number of seconds from 1 to 600')
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:')
    throw new CommandFault(exitCodes.usage, '--url must be an http or https URL')
  return { url, timeoutMs: seconds * 1_000 }
}
