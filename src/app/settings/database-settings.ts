import { z } from 'zod'
import { integer } from './setting-readers.ts'

const postgresUrl = z.url({ protocol: /^postgres(ql)?$/ })

export const databaseSettings = {
  DATABASE_URL: postgresUrl
    .optional()
    .describe(
      'PostgreSQL to use, also through a pooler in transaction mode. `dev` starts its own without it.',
    ),
  DATABASE_DIRECT_URL: postgresUrl
    .optional()
    .describe(
      'The same database without a pooler in between: for locks, LISTEN and migrations. Needed where DATABASE_URL is a pooler.',
    ),
  DATABASE_READ_URL: postgresUrl
    .optional()
    .describe('Replicas of the database, for reads of clients, as far as they are new enough.'),
  DATABASE_READ_MAX_LAG_MS: integer(200, 60_000)
    .default(2_000)
    .describe('How old a read from DATABASE_READ_URL may be at most, in milliseconds.'),
  DATABASE_CONNECTIONS: integer(2, 200)
    .default(10)
    .describe('Connections of this process for requests, at most; half of them are for reads.'),
  DATABASE_LOOP_CONNECTIONS: integer(2, 200)
    .default(6)
    .describe(
      'Connections of this process for auctions, the indexer, deliveries and retention, in addition to DATABASE_CONNECTIONS.',
    ),
}
