import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { DevManifest } from '../../src/dev/home/home.ts'
import { eventually } from './eventually.ts'
import { program } from './program.ts'

/** `tradegraph dev` as a user runs it, by default without traders; the last value of a flag counts. */
export function startDev(
  home: string,
  {
    flags = [],
    environment = {},
    traders = false,
    uid,
  }: { flags?: string[]; environment?: Record<string, string>; traders?: boolean; uid?: number } = {},
) {
  const { npm_lifecycle_event: _, DATABASE_URL: _url, ...inherited } = process.env
  const child = spawn(
    process.execPath,
    [program(), 'dev', '--home', home, '--port', '0', ...(traders ? [] : ['--no-traders']), ...flags],
    {
      env: { ...inherited, LOG_LEVEL: 'silent', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      uid,
      gid: uid,
    },
  )
  let [out, errors] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text
  })
  return {
    program: child,
    /** The output until now. */
    output: () => ({ out, errors }),
    /** The exit code and the output of errors. */
    ended: once(child, 'close').then(([code]) => ({ code, errors })),
    /** Waits for the `ready` line. Starting a database and a chain takes time on a busy machine. */
    async ready(): Promise<DevManifest> {
      await eventually(
        'the ready line',
        () => {
          if (child.exitCode !== null) throw new Error(`the program ended with ${child.exitCode}: ${errors}`)
          return out.startsWith('ready ')
        },
        110_000,
      )
      return JSON.parse(readFileSync(path.join(home, 'dev.json'), 'utf8'))
    },
  }
}
