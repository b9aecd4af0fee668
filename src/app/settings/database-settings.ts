import { z } from 'zod'
import { integer } from './setting-readers.ts'

const postgresUrl = z.url({ protocol: /^postgres(ql)?$/ })

export const databaseSettings = {
  DATABASE_URL: postgresUrl
    .optional()
    .describe(
      'PostgreSQL database, directly or through a pooler in transaction mode. Without it `dev` starts its own.',
    ),
  DATABASE_DIRECT_URL: postgresUrl
    .optional()
    .describe(
      'The same database without a pooler: for locks, LISTEN and migrations. Needed if DATABASE_URL is a pooler.',
    ),
  DATABASE_READ_URL: postgresUrl
    .optional()
    .describe('Replicas of the database, for clients’ reads while they are recent enough.'),
  DATABASE_READ_MAX_LAG_MS: integer(200, 60_000)
    .default(2_000)
    .describe('Maximum age of a read from DATABASE_READ_URL, in milliseconds.'),
  DATABASE_CONNECTIONS: integer(2, 200)
    .default(10)
    .describe('Maximum connections of this process for requests; half of them are for reads.'),
  DATABASE_LOOP_CONNECTIONS: integer(2, 200)
    .default(6)
    .describe(
      'Maximum connections of this process for auctions, the indexer, deliveries and retention, in addition to DATABASE_CONNECTIONS.',
    ),
}
