import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

/** All tests, also those that run long, and those of `test/services`, which need more than npm. */
export default defineConfig({
  ...base,
  // The files that wait leave room for one more worker.
  test: { ...base.test, exclude: [], maxWorkers: 4 },
})
