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
      'Migrate the database at the start. With false a start fails until `tradegraph migrate` has run.',
    ),
  SHUTDOWN_DELAY_SECONDS: integer(0, 600)
    .default(5)
    .describe(
      'Seconds for which a stopping process still serves while /health/ready is 503, so that balancers notice; 0 in `dev`.',
    ),
  SHUTDOWN_TIMEOUT_SECONDS: integer(1, 600)
    .default(10)
    .describe('Maximum seconds that it then waits for requests in progress.'),
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
    .describe('Maximum open event streams of one client address; 0 is no limit.'),
  STREAMS_TOTAL: integer(0, 1_000_000)
    .default(10_000)
    .describe('Maximum open event streams of this process; 0 is no limit.'),
  STREAMS_CONNECTIONS: integer(2, 50)
    .default(3)
    .describe('Connections to the database for streams, in addition to DATABASE_CONNECTIONS.'),
  STREAMS_MEMORY_ENTRIES: integer(1, 1_000_000)
    .default(10_000)
    .describe('Number of latest entries of each feed in memory; streams that are further behind read pages.'),
  STREAMS_MEMORY_MB: integer(1, 10_000).default(64).describe('Maximum megabytes of these entries as sent.'),
  STREAMS_BUFFER_KB: integer(16, 10_000)
    .default(32)
    .describe('Maximum kilobytes in memory that one client has not read, beyond one event.'),
  STREAMS_STALLED_SECONDS: integer(1, 3_600)
    .default(60)
    .describe('Seconds without a read after which a client’s stream ends with SLOW_CONSUMER.'),
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
