import { defineConfig } from 'vitest/config'
import base from '../../vitest.config.ts'
import { keptWorkers } from './kept-worker.ts'
import { rooms } from './rooms.ts'

const room = rooms[process.env.MUTANTS_ROOM ?? 'domain']

/** The tests of one room, without the servers where they need none. */
export default defineConfig({
  ...base,
  plugins: [
    {
      name: 'kept-workers',
      // Stryker sets the pool itself; this comes after.
      configureVitest: ({ project }) => {
        Object.assign(project.config, { pool: keptWorkers.name, poolRunner: keptWorkers })
      },
    },
  ],
  test: {
    ...base.test,
    include: [...(room?.tests ?? [])],
    globalSetup: room?.needsServers ? (base.test?.globalSetup ?? []) : [],
    setupFiles: ['test/mutants/no-mutant.ts'],
    maxWorkers: 1,
  },
})
