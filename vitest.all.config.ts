import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

/** All tests, also those that run long, and those of `test/services`, which need more than npm. */
export default defineConfig({ ...base, test: { ...base.test, exclude: [] } })
