import { expect, test } from 'vitest'
import { createThrottledLog } from '../../src/concurrency/throttled-log.ts'
import { silentLog } from '../fakes/silent-log.ts'

test('the same message is logged once in ten seconds, however often it occurs', () => {
  const clock = { now: 1_800_000_000_000 }
  const logged: unknown[] = []
  const log = { ...silentLog, warn: (...line: unknown[]) => void logged.push(line) }
  const warn = createThrottledLog({ now: () => clock.now, log })
  const [first, second] = [{ reason: 'late' }, { reason: 'away' }]
  for (let seconds = 0; seconds <= 10; seconds++) {
    warn('it failed', first)
    clock.now += 1_000
  }
  warn('it failed', second)
  warn('it gave up', second)
  expect(logged).toEqual([
    ['it failed', first],
    ['it failed', second],
    ['it gave up', second],
  ])
  warn('it failed', first)
  expect(logged).toHaveLength(4)
})
