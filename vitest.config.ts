import { defineConfig } from 'vitest/config'
import { BaseSequencer } from 'vitest/node'

const namesFiles = process.argv.some((argument) => /^(\.\/)?test\/./.test(argument))

/** Files that wait for blocks and for programs, and leave most of the processor to others. */
const waiting = /\.long\.test\.ts$|\/test\/services\//
/** The files that wait begin in this part of the run: the one that begins last is waited for. */
const beginning = 0.8

/** Spreads the files that wait over the run, so that the processor is in even use. */
class EvenLoad extends BaseSequencer {
  override async sort(files: Parameters<BaseSequencer['sort']>[0]) {
    const sorted = await super.sort(files)
    const long = sorted.filter(({ moduleId }) => waiting.test(moduleId))
    const quick = sorted.filter(({ moduleId }) => !waiting.test(moduleId))
    const share = Math.floor((beginning * quick.length) / Math.max(long.length, 1))
    return [...long.flatMap((file) => [file, ...quick.splice(0, share)]), ...quick]
  }
}

export default defineConfig({
  // graphql 16 has no `exports`: without this, sources and libraries load two copies of it.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    // Files that run long, and those that need a PostgreSQL server and other programs.
    exclude: ['test/services/**', ...(namesFiles ? [] : ['test/**/*.long.test.ts'])],
    globalSetup: ['test/setup/global-setup.ts'],
    setupFiles: ['test/setup/seeded.ts'],
    // Far more than any test needs that sets no limit of its own: the machine may be busy.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // To load the program takes longer than most files do: a worker loads it once. A file must leave no state
    // in a module.
    isolate: false,
    // Many tests wait for blocks: a worker for each of CI's two cores leaves a third of them idle.
    maxWorkers: 3,
    // Most code runs a few times: to optimize it early, or to collect small heaps, costs more than it saves.
    execArgv: ['--max-semi-space-size=32', '--interrupt-budget=528000'],
    sequence: { sequencer: EvenLoad },
  },
})
