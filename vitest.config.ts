import { defineConfig } from 'vitest/config'

export default defineConfig({
  // graphql 16 has no `exports`: without this, sources and libraries load two copies of it.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/services/**'],
    globalSetup: ['test/setup/global-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Half of a file's time is spent waiting, for blocks, databases and imports: as many as there are cores, not one fewer.
    maxWorkers: 2,
  },
})
