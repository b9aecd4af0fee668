import { type ExecFileOptions, execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { inject } from 'vitest'

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
