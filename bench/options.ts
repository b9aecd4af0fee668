import path from 'node:path'
import { parseArgs } from 'node:util'

/** The folder of databases and builds, kept between runs. */
export const cache = path.join(import.meta.dirname, '.cache')
export const root = path.join(import.meta.dirname, '..')

export type Print = (line: string) => void

/** Cleanups that always run at the end, the last one first. */
export type Undo = (() => Promise<void> | void)[]

/** A flag of a suite. Its help text ends with the default. */
export interface Flag<Value> {
  form: string
  help: string
  preset?: string
  /** @throws with the fault */
  read(text: string | undefined, name: string): Value
}

type Flags = Readonly<Record<string, Flag<unknown>>>
export type OptionsOf<F extends Flags> = { [Name in keyof F]: ReturnType<F[Name]['read']> }

export function number(help: string, preset: number, min: number, max: number): Flag<number> {
  return { form: 'N', help, preset: String(preset), read: (text, name) => whole(name, text, min, max) }
}

export function optionalNumber(help: string, min: number, max: number): Flag<number | undefined> {
  return { form: 'N', help, read: (text, name) => (text === undefined ? text : whole(name, text, min, max)) }
}

export function numbers(help: string, preset: readonly number[], min: number, max: number): Flag<number[]> {
  const read = (text = '', name = '') => text.split(',').map((part) => whole(name, part, min, max))
  return { form: 'A,B', help, preset: preset.join(','), read }
}

/** @param known the names that there are, all by default */
export function names<Name extends string>(
  help: string,
  known: readonly Name[],
  preset: readonly Name[] = known,
): Flag<Name[]> {
  const read = (text = '', flag = '') =>
    text.split(',').map((part) => {
      const name = known.find((each) => each === part)
      if (name === undefined) throw new Error(`--${flag} takes ${known.join(', ')}, not ${part}`)
      return name
    })
  return { form: 'A,B', help: `${help}: ${known.join(', ')}`, preset: preset.join(','), read }
}

export function toggle(help: string): Flag<boolean> {
  return { form: '', help, read: (text) => text !== undefined }
}

function folder(help: string): Flag<string | undefined> {
  const read = (text: string | undefined) => (text === undefined ? undefined : path.resolve(text))
  return { form: 'DIR', help, read }
}

/** Flags of several suites. */
export const against = folder('another checkout of the program, measured in the same turns')
export const source: Flag<string> = {
  form: 'DIR',
  help: 'another checkout of the program',
  read: (text) => path.resolve(text ?? root),
}
export const profile = folder('a CPU profile of each process of the program; the figures are worse for it')
export const seconds = (preset: number) => number('length of a turn', preset, 1, 600)
export const rounds = (preset: number) => number('turns of each system; the medians are told', preset, 1, 100)

/** Flags of every suite. */
export interface CommonOptions {
  /** The folder of the embedded database and the chain. */
  home: string
  json: string
}

export interface Suite {
  name: string
  usage: string
  /** @throws with the fault */
  read(argv: readonly string[]): { settings: object; run: Run }
}

/** Runs a suite. @returns its results, and whether they are right */
type Run = (undo: Undo, print: Print) => Promise<{ isRight: boolean } & object>

interface SuiteOptions<F extends Flags> {
  name: string
  about: string
  flags: F
  run(options: OptionsOf<F> & CommonOptions, undo: Undo, print: Print): Promise<{ isRight: boolean } & object>
}

export function suite<const F extends Flags>({ name, about, flags, run }: SuiteOptions<F>): Suite {
  const all: Flags = {
    ...flags,
    home: {
      form: 'DIR',
      help: 'folder of the embedded database and the chain, kept between runs',
      preset: path.join(cache, name),
      read: (text) => text,
    },
    json: {
      form: 'FILE',
      help: 'where the figures go',
      preset: path.join(import.meta.dirname, 'results', `${name}.json`),
      read: (text) => text,
    },
  }
  const lines = Object.entries(all).map(([flag, { form, help, preset }]) => {
    const shown = preset === undefined ? '' : ` (default ${path.relative('.', preset)})`
    return `  ${`--${flag} ${form}`.padEnd(20)} ${help}${shown}`
  })
  return {
    name,
    usage: [`usage: npm run bench -- ${name} [flags]`, '', about.trim(), '', ...lines].join('\n'),
    read(argv) {
      const { values } = parseArgs({
        args: [...argv],
        options: Object.fromEntries(
          Object.entries(all).map(([flag, { form }]) => [flag, { type: form === '' ? 'boolean' : 'string' }]),
        ),
      })
      const read = Object.entries(all).map(([flag, { preset, read }]) => {
        const given = values[flag]
        return [flag, read(given === undefined ? preset : String(given), flag)]
      })
      const options = Object.fromEntries(read) as OptionsOf<F> & CommonOptions
      return { settings: options, run: (undo, print) => run(options, undo, print) }
    },
  }
}

function whole(name: string, text: string | undefined, min: number, max: number): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw new Error(`--${name} must be a whole number from ${min} to ${max}`)
}
