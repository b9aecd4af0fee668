import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { root } from '../docs/pages.ts'

const run = promisify(execFile)

/** Builds the package of the client outside of `dist`, which other tests build, and packs it into `folder`. */
export async function packClient(folder: string): Promise<string> {
  const built = path.join(folder, 'client')
  await run(process.execPath, ['--import', 'tsx', 'build.ts', 'client', built], { cwd: root })
  const { stdout } = await run('npm', ['pack', built, '--pack-destination', folder, '--silent'], {
    cwd: root,
  })
  return stdout.trim()
}
