import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { install } from './install.ts'

const sources = path.join(import.meta.dirname, '..', 'ponder')

/** Where Ponder looks for each of its files. */
const places = {
  'ponder.config.mjs': 'ponder.config.ts',
  'ponder.schema.mjs': 'ponder.schema.ts',
  'handlers.mjs': 'src/index.ts',
  'api.mjs': 'src/api/index.ts',
}

/**
 * Installs Ponder with its own packages and Node into `folder`, once.
 * @returns the arguments of a process that indexes, beginning with its Node
 * @throws when it cannot be installed
 */
export function installPonder(folder: string): [string, ...string[]] {
  const command = path.join(folder, 'node_modules', 'ponder', 'dist', 'esm', 'bin', 'ponder.js')
  if (!existsSync(command)) install(folder, path.join(sources, 'package.json'))
  for (const [from, to] of Object.entries(places)) {
    mkdirSync(path.dirname(path.join(folder, to)), { recursive: true })
    copyFileSync(path.join(sources, from), path.join(folder, to))
  }
  rmSync(path.join(folder, '.ponder'), { recursive: true, force: true })
  return [path.join(folder, 'node_modules', 'node', 'bin', 'node'), command]
}
