import { type ExecFileOptions, execFile } from 'node:child_process'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { runCommandLine } from '../../src/app/cli.ts'

/** Returns the file of the command as shipped. */
export const program = () => inject('program')

export interface Ended {
  code: number
  stdout: string
  stderr: string
}

/** Runs a command of the program to its end, with these variables of the environment alone. */
export function runProgram(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  { input, ...options }: ExecFileOptions & { input?: string } = {},
): Promise<Ended> {
  const env = { PATH: process.env.PATH, ...environment }
  const task = promisify(execFile)(process.execPath, [program(), ...args], {
    timeout: 60_000,
    ...options,
    encoding: 'utf8',
    env,
  })
  if (input !== undefined) task.child.stdin?.on('error', () => undefined).end(input)
  return task.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: Ended) => ({ code, stdout, stderr }),
  )
}

/**
 * Runs a command in the process of the tests, where its modules are loaded already: a start of the program takes
 * half a second. The command must end by itself, and must not ask on a terminal.
 */
export function runHere(...given: Parameters<typeof runAlone>): Promise<Ended> {
  // One after the other: what they read and write is that of the process.
  const ended = before.then(() => runAlone(...given))
  before = ended.catch(() => undefined)
  return ended
}

let before: Promise<unknown> = Promise.resolve()

async function runAlone(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  { input = '', cwd = process.cwd() }: { input?: string; cwd?: string } = {},
): Promise<Ended> {
  const { argv, env, exit, stdin, stdout, stderr } = process
  const own = { argv, env, exit, stdin, stdout, stderr }
  const folder = process.cwd()
  const written = { stdout: '', stderr: '' }
  let code: number | undefined
  const writer = (name: keyof typeof written) => ({
    write(text: string, done?: () => void) {
      // An end is thrown, and reported like a fault.
      if (code === undefined) written[name] += text
      done?.()
      return true
    },
    on: () => undefined,
  })
  const replace = (members: object) => {
    for (const [name, value] of Object.entries(members))
      Object.defineProperty(process, name, { value, configurable: true, writable: true, enumerable: true })
  }
  class Exit extends Error {}
  replace({
    argv: [process.execPath, 'tradegraph', ...args],
    env: { PATH: env.PATH, ...environment },
    exit(given: number) {
      code ??= given
      throw new Exit()
    },
    stdin: Readable.from([input]),
    stdout: writer('stdout'),
    stderr: writer('stderr'),
  })
  process.chdir(cwd)
  try {
    await runCommandLine().catch((fault) => {
      if (!(fault instanceof Exit)) throw fault
    })
    return { code: code ?? 0, ...written }
  } finally {
    replace(own)
    process.chdir(folder)
  }
}
