import { expect, test } from 'vitest'
import { createMetrics } from '../../src/server/metrics.ts'
import { readWaitingDeliveries } from '../../src/storage/channels/queue.ts'
import { connectDirectly, createTestDatabase } from '../setup/database.ts'

test('what waits is told by kind, counted to a limit, and asked for once in five seconds', async () => {
  await using database = await createTestDatabase()
  await using client = await connectDirectly(database.url)
  await client.query(
    `INSERT INTO deliveries (channel_id, kind, state, waiting_since)
     SELECT gen_random_uuid(), (ARRAY['webhook', 'email'])[1 + (g > 20)::int], (ARRAY['waiting', 'dead'])[1 + (g > 25)::int], now() - g * interval '1 minute'
     FROM generate_series(1, 40) g`,
  )
  let clock = 0
  const metrics = createMetrics(false, () => clock)
  metrics.deliveries.watch(() => readWaitingDeliveries(database.db, ['webhook', 'email', 'push'], 10))
  metrics.deliveries.count('webhook', 'sent', 3)
  const value = async (name: string, kind: string) =>
    Number(
      (await metrics.text())
        .split('\n')
        .find((line) => line.startsWith(`tradegraph_channel_${name}{kind="${kind}"`))
        ?.split(' ')[1],
    )
  expect(await value('messages_waiting', 'webhook')).toBe(10)
  expect(await value('messages_waiting', 'email')).toBe(5)
  expect(await value('messages_waiting', 'push')).toBe(0)
  expect(await value('oldest_wait_seconds', 'webhook')).toBeCloseTo(1_200, -1)
  expect(await value('oldest_wait_seconds', 'email')).toBeCloseTo(1_500, -1)
  expect(await value('messages_total', 'webhook')).toBe(3)
  expect(database.statements).toHaveLength(1)
  clock += 5_000
  await metrics.text()
  expect(database.statements).toHaveLength(2)
})
