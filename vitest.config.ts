import { defineConfig } from 'vitest/config'
import { BaseSequencer } from 'vitest/node'

/** They wait, for blocks and for programs: what starts last is what the whole run waits for. */
const longest = /\/(swaps|crash|run|generated-documents|sdk|referrals|hostile|stack)\.test\.ts$/

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
    exclude: ['test/services/**'],
    globalSetup: ['test/setup/global-setup.ts'],
    // Far more than any test needs that sets no limit of its own: the machine may be busy.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // To load the program takes longer than most files do: a worker loads it once. A file must leave no state in a module.
    isolate: false,
    // One for each core. Three gain an eighth of the time, and make tests compete for the processor.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
  },
})
