import { z } from 'zod'
import type { FeedLimits } from '../../notifications/feed.ts'
import type { StreamLimits } from '../../sse/handler.ts'
import { integer } from './setting-readers.ts'

/** Settings of start and stop with other processes, and of clients' connections. */
export const connectionSettings = {
  MIGRATE_AT_START: z
    .stringbool()
    .default(true)
    .describe(
      'Change the database to what this version needs; with false `tradegraph migrate` does, and a start without it fails.',
    ),
  SHUTDOWN_DELAY_SECONDS: integer(0, 600)
    .default(5)
    .describe(
      'Time for which a stopping process continues to serve while /health/ready is 503, so that balancers notice; 0 in `dev`.',
    ),
  SHUTDOWN_TIMEOUT_SECONDS: integer(1, 600)
    .default(10)
    .describe('How long it waits after that for requests under way, at most.'),
}

type ConnectionSettings = z.infer<z.ZodObject<typeof connectionSettings>>

/** Delay of the shutdown: only a process that serves has a balancer. */
export const shutdownDelayMs = ({ SHUTDOWN_DELAY_SECONDS }: ConnectionSettings, serves: boolean): number =>
  serves ? SHUTDOWN_DELAY_SECONDS * 1_000 : 0

export const streamSettings = {
  REDIS_URL: z
    .url({ protocol: /^rediss?$/ })
    .optional()
    .describe(
      'Redis over which the processes of a service share rate limits, STREAMS_PER_CLIENT, registered documents and streams of several operations. Without it, or while it is away, each process counts for itself.',
    ),
  STREAMS_PER_CLIENT: integer(0, 100_000)
    .default(100)
    .describe('Open event streams of one client address; 0 is no limit.'),
  STREAMS_TOTAL: integer(0, 1_000_000)
    .default(10_000)
    .describe('Open event streams of this process; 0 is no limit.'),
  STREAMS_CONNECTIONS: integer(2, 50)
    .default(3)
    .describe('Connections to the database for streams, in addition to DATABASE_CONNECTIONS.'),
  STREAMS_MEMORY_ENTRIES: integer(1, 1_000_000)
    .default(10_000)
    .describe('Latest entries of each feed in memory; streams that are further behind read pages.'),
  STREAMS_MEMORY_MB: integer(1, 10_000)
    .default(64)
    .describe('Megabytes of these entries as they were sent, at most.'),
  STREAMS_BUFFER_KB: integer(16, 10_000)
    .default(32)
    .describe('Kilobytes that wait in memory for one client to read, beyond one event.'),
  STREAMS_STALLED_SECONDS: integer(1, 3_600)
    .default(60)
    .describe('A stream whose client takes nothing for so long is ended with SLOW_CONSUMER.'),
}

type StreamSettings = z.infer<z.ZodObject<typeof streamSettings>>

export function feedLimitsOf(settings: StreamSettings): FeedLimits {
  return {
    entries: settings.STREAMS_MEMORY_ENTRIES,
    bytes: settings.STREAMS_MEMORY_MB * 1_048_576,
    pageBytes: settings.STREAMS_BUFFER_KB * 1_024,
    // One connection stays for new entries.
    statements: settings.STREAMS_CONNECTIONS - 1,
  }
}

/** A setting of 0 means no limit. */
const limitOf = (setting: number) => (setting === 0 ? Number.POSITIVE_INFINITY : setting)

export function streamLimitsOf(settings: StreamSettings): Partial<StreamLimits> {
  return {
    perClient: limitOf(settings.STREAMS_PER_CLIENT),
    total: limitOf(settings.STREAMS_TOTAL),
    bufferBytes: settings.STREAMS_BUFFER_KB * 1_024,
    stalledMs: settings.STREAMS_STALLED_SECONDS * 1_000,
  }
}
