// `generate`, `validate` and `format` need no schema engine, yet Prisma's CLI fetches the native one before any command.
// Naming an existing file as the engine stops that. Whatever really needs the engine is refused here: with a stand-in,
// `migrate diff` prints nothing and exits 0. Migrations are written and checked by `migrate.mjs`.
import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

const [command = '', ...rest] = process.argv.slice(2)
const here = import.meta.dirname

if (!['generate', 'validate', 'format'].includes(command)) {
  console.error(`prisma ${command}: use "npm run migrate -- new|check|status"`)
  process.exit(2)
}

/** Time of the last change of a file of the project; 0 if there is none. */
const changed = (file) => statSync(path.join(here, '..', file), { throwIfNoEntry: false })?.mtimeMs ?? 0

// A client that is newer than its schema and than Prisma stays: another process may be reading it.
const inputs = ['prisma/schema.prisma', 'package-lock.json'].map(changed)
if (command === 'generate' && changed('src/storage/generated/client.ts') > Math.max(...inputs))
  process.exit(0)

const cli = createRequire(import.meta.url).resolve('prisma/build/index.js')
const { status } = spawnSync(
  process.execPath,
  [cli, command, '--schema', path.join(here, 'schema.prisma'), ...rest],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      PATH: `${path.resolve(here, '..', 'node_modules', '.bin')}${path.delimiter}${process.env.PATH}`,
      PRISMA_SCHEMA_ENGINE_BINARY: process.env.PRISMA_SCHEMA_ENGINE_BINARY ?? process.execPath,
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
      CHECKPOINT_DISABLE: '1',
    },
  },
)
process.exit(status ?? 1)
