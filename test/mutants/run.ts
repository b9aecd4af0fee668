import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Stryker } from '@stryker-mutator/core'
import { startServers } from '../setup/global-setup.ts'
import { rooms } from './rooms.ts'

/** `npm run mutants -- <room> [part of a file's name] [--part 0.2] [--workers 2]` */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { part: { type: 'string', default: '1' }, workers: { type: 'string', default: '1' } },
})
const [name = '', filter = ''] = positionals
const room = rooms[name]
if (!room) throw new TypeError(`name one of the rooms: ${Object.keys(rooms).join(', ')}`)

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && room.files.test(file) && file.includes(filter))
  .map((file) => `src/${file}`)

/** The same lines each time. A mutant of more than one line, such as an empty body, is in no sample. */
function sampleLines(file: string, part: number): string[] {
  const share = (line: number) =>
    createHash('sha256').update(`${file}:${line}`).digest().readUInt32BE() / 2 ** 32
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((_, index) => index + 1)
    .filter((line) => share(line) < part)
    .map((line) => `${file}:${line}-${line}`)
}

// The tests read it in their own process: see vitest.config.ts.
process.env.MUTANTS_ROOM = name
const servers = room.needsServers ? await startServers() : undefined
// Here, since a process of tests that takes too long is killed: the next one would start them again.
process.env.MUTANTS_SERVERS = JSON.stringify(servers?.provided ?? {})
const part = Number(values.part)
const run = new Stryker({
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'test/mutants/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  // What runs while a module loads needs all tests for each mutant.
  ignoreStatic: true,
  mutate: part < 1 ? files.flatMap((file) => sampleLines(file, part)) : files,
  concurrency: Number(values.workers),
  incremental: true,
  incrementalFile: `.mutants/${name}.incremental.json`,
  tempDirName: '.mutants/sandbox',
  ignorePatterns: ['.mutants', 'bench', 'dist', 'docs', 'ops'],
  reporters: ['clear-text', 'json', 'progress-append-only'],
  jsonReporter: { fileName: `.mutants/${name}.json` },
  clearTextReporter: { logTests: false },
  // There is nothing to rewrite in it, and Stryker does not know this version of TypeScript.
  tsconfigFile: '.mutants/none.json',
  // A test that waits fails before: see vitest.config.ts.
  timeoutMS: room.needsServers ? 50_000 : 5_000,
})
try {
  await run.runMutationTest()
} finally {
  await servers?.teardown()
}
