import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { BaseSequencer } from 'vitest/node'
import base from '../../vitest.config.ts'
import { hangMs, keptWorkers } from './kept-worker.ts'
import { rooms } from './rooms.ts'

const room = rooms[process.env.MUTANTS_ROOM ?? 'domain']

/** What `run.ts` has started. */
const servers = process.env.MUTANTS_SERVERS

/**
 * What needs no database takes milliseconds, what needs no server tens of them, and the first failure ends a
 * run.
 */
class QuickestFirst extends BaseSequencer {
  override async sort(files: Parameters<BaseSequencer['sort']>[0]) {
    const needs = ({ moduleId }: { moduleId: string }) => {
      const text = readFileSync(moduleId, 'utf8')
      return ['setup/database', 'setup/server'].findLastIndex((needed) => text.includes(needed))
    }
    return (await super.sort(files)).sort((a, b) => needs(a) - needs(b))
  }
}

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
    globalSetup: room?.needsServers && !servers ? (base.test?.globalSetup ?? []) : [],
    provide: servers ? JSON.parse(servers) : {},
    setupFiles: ['test/mutants/no-mutant.ts'],
    maxWorkers: 1,
    sequence: { sequencer: QuickestFirst },
    env: { TEST_PATIENCE_MS: String(room?.patienceMs ?? 4_000) },
    testTimeout: hangMs,
    hookTimeout: hangMs,
  },
})
