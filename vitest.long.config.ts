import { defineConfig } from 'vitest/config'
import base, { longFiles } from './vitest.config.ts'

/** Long tests, which CI runs; see `longFiles`. */
export default defineConfig({ ...base, test: { ...base.test, include: longFiles, exclude: [] } })
