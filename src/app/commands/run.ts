import {
  codeNamed,
  type ExplainedError,
  errorCodes,
  explained,
} from '../../domain/errors/error-explanations.ts'
import { findErrors } from '../../domain/errors/find-errors.ts'
import type { ForeignError } from '../../domain/errors/foreign-errors.ts'
import { mistakeIn } from '../../domain/signing/signature-mistake.ts'
import { nearestName } from '../config.ts'
import { explain, explainErrors, type Output } from './explain.ts'
import { CommandFault, type ExitCode, exitCodes, reported, serviceOf } from './service.ts'
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

/** Runs a command that queries a service; errors are explained without one. @returns its exit code */
export async function runCommand(
  command: 'explain' | 'watch',
  subjects: readonly string[],
  { flags, random, print, warn }: CommandOptions,
): Promise<ExitCode> {
  const output: Output = { print, json: flags.json }
  return reported(command, warn, async () => {
    const errors = command === 'explain' ? errorsOf(subjects.join(' ')) : []
    if (errors.length > 0) return explainErrors(errors, output, mistakeIn(subjects.join(' ')))
    const service = serviceOf(flags)
    const subject = subjectOf(command, subjects)
    if (command === 'explain') return explain(subject, service, output)
    const after = flags.after === undefined ? {} : { after: flags.after }
    await watch({ subject, service, output, ...after, random, warn: (line) => warn(`tradegraph: ${line}`) })
  })
}

/** The errors in a text; empty if it is too vague. */
function errorsOf(text: string): (ExplainedError | ForeignError)[] {
  const code = codeNamed(text)
  if (code) return [explained(code)]
  const { foreign, errors, isGuess } = findErrors(text)
  if (isGuess) return []
  return foreign ? [foreign, ...errors] : errors
}

function subjectOf(command: 'explain' | 'watch', [subject = '', ...more]: readonly string[]): string {
  const isUid = /^0x[0-9a-fA-F]{112}$/.test(subject)
  const isAccount = command === 'watch' && /^0x[0-9a-fA-F]{40}$/.test(subject)
  if (more.length === 0 && (isUid || isAccount)) return subject.toLowerCase()
  if (command === 'watch')
    throw new CommandFault(
      exitCodes.usage,
      'watch takes the UID of an order or an account: 0x and 112 or 40 hex digits',
    )
  const text = [subject, ...more].join(' ')
  const meant = nearestName(subject, errorCodes) ?? findErrors(text).errors[0]?.code
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`
  throw new CommandFault(
    exitCodes.usage,
    `explain takes the UID of an order, 0x and 112 hex digits, or an error: its code or its English text${hint}`,
  )
}
