import { defineConfig } from 'vitest/config'
import { BaseSequencer } from 'vitest/node'

const namesFiles = process.argv.some((argument) => /^(\.\/)?test\/./.test(argument))

/** Files that a run should begin with: the one that begins last is waited for. */
const longest = /\.long\.test\.ts$/

class LongestFirst extends BaseSequencer {
  override async sort(files: Parameters<BaseSequencer['sort']>[0]) {
    const rank = ({ moduleId }: { moduleId: string }) => (longest.test(moduleId) ? 0 : 1)
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
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
    // Tests mostly wait for blocks: a worker for each of CI's two cores leaves a third of them idle.
    // With four workers answers come too late for some tests.
    maxWorkers: 3,
    execArgv: ['--max-semi-space-size=32', '--interrupt-budget=528000'],
    sequence: { sequencer: LongestFirst },
  },
})
