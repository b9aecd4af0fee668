import { errorCodes } from '../../domain/errors/error-explanations.ts'
import { meaningOf, type Unclear } from '../../domain/search/meaning.ts'
import { mayBeKey } from '../../domain/search/secret.ts'
import { mistakeIn } from '../../domain/signing/signature-mistake.ts'
import { nearestName } from '../settings/setting-readers.ts'
import { settings } from '../settings.ts'
import { explain, explainErrors, explainHash, explainMeaning, type Output } from './explain.ts'
import { CommandFault, type ExitCode, exitCodes, reported, serviceOf } from './service.ts'
import { watch } from './watch.ts'

interface CommandFlags {
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
    const text = subjects.join(' ')
    if (command === 'explain' && mayBeKey(text))
      return explainHash(text.trim().toLowerCase(), serviceOf(flags), output)
    const isUid = uidForm.test(text.trim())
    const meaning =
      command === 'explain' && !isUid ? await meaningOf(text, { settings: readSettings }) : undefined
    if (meaning?.kind === 'errors') {
      const { foreign, errors } = meaning
      return explainErrors(foreign ? [foreign, ...errors] : errors, output, mistakeIn(text))
    }
    const service = serviceOf(flags)
    const unclear = meaning && (await explainMeaning(meaning, service, { ...output, warn }))
    if (meaning && !unclear) return
    const subject = subjectOf(command, subjects, unclear)
    if (command === 'explain') return explain(subject, service, output)
    const after = flags.after === undefined ? {} : { after: flags.after }
    await watch({ subject, service, output, ...after, random, warn: (line) => warn(`tradegraph: ${line}`) })
  })
}

const uidForm = /^0x[0-9a-fA-F]{112}$/

const readSettings = async () =>
  Object.fromEntries(
    Object.entries(settings.shape).map(([name, { description = '' }]) => [name, description]),
  )

const searchable =
  'the UID of an order (0x and 112 hex digits), the hash of a programmatic order, an error, a code, a setting, a token, an auction, or a topic in English'

/** @param unclear the meaning of a text that is none */
function subjectOf(
  command: 'explain' | 'watch',
  [subject = '', ...more]: readonly string[],
  unclear: Unclear | undefined,
): string {
  const isAccount = command === 'watch' && /^0x[0-9a-fA-F]{40}$/.test(subject)
  if (more.length === 0 && (uidForm.test(subject) || isAccount)) return subject.toLowerCase()
  if (command === 'watch')
    throw new CommandFault(
      exitCodes.usage,
      'watch takes the UID of an order or an account: 0x and 112 or 40 hex digits',
    )
  const { errors = [], topics = [] } = unclear?.kind === 'guess' ? unclear : {}
  const guessed = [...errors.map(({ code }) => code), ...topics.map(({ title }) => title)]
  const meant = nearestName(subject, errorCodes) ?? guessed[0]
  const hint = meant === undefined ? '' : `; did you mean “${meant}”?`
  throw new CommandFault(exitCodes.usage, `nothing was found${hint}`, {
    advice: [`explain finds ${searchable}`],
  })
}
