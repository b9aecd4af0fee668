import { defineConfig } from 'vitest/config'
import base from '../../vitest.config.ts'
import { rooms } from './rooms.ts'

const room = rooms[process.env.MUTANTS_ROOM ?? 'domain']

/** The tests of one room, without the servers where they need none: each mutant starts them anew. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: [...(room?.tests ?? [])],
    globalSetup: room?.needsServers ? (base.test?.globalSetup ?? []) : [],
  },
})
