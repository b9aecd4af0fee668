import { z } from 'zod'
import { httpUrl, jsonText } from './setting-readers.ts'

/** Settings of records of requests, apart from metrics. */
export const observingSettings = {
  LOG_FORMAT: z
    .enum(['text', 'json'])
    .default('text')
    .describe('Form of the log lines of `dev`: `text` for people, or `json`. Other commands log JSON.'),
  ACCESS_LOG: z
    .stringbool()
    .default(false)
    .describe('Log a line for each request: method, route, status, time, cost, request id, hashed client.'),
  ACCESS_LOG_KEY: z
    .string()
    .regex(/^[!-~]{16,1000}$/, 'must be 16 to 1000 visible characters of ASCII')
    .optional()
    .describe(
      'Secret by which ACCESS_LOG hashes client addresses, the same in all processes. By default each process makes its own.',
    ),
  TRACES_URL: httpUrl
    .optional()
    .describe(
      'OTLP receiver of traces over HTTP, such as http://127.0.0.1:4318/v1/traces. Without it tracing is off.',
    ),
  TRACES_SAMPLED: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(0.05)
    .describe('Share of traced requests, from 0 to 1. A trusted proxy decides for those that it traces.'),
  TRACES_HEADERS: jsonText(z.record(z.string().regex(/^[\w-]{1,100}$/), z.string().max(4_000)))
    .optional()
    .describe('Headers for the receiver of traces, such as its key, JSON: {"x-api-key":"…"}.'),
}
