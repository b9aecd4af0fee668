import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

/** What needs a PostgreSQL server beside npm: named in TEST_POSTGRES_URL, or the one on this machine. */
export default defineConfig({
  ...base,
  test: { ...base.test, include: ['test/services/**/*.test.ts'], exclude: [] },
})
