import { randomUUID } from 'node:crypto'
import type { SharedBudgets } from '../../concurrency/common-use.ts'
import { createPeers, type Peers } from './peers.ts'
import type { RedisConnection } from './redis.ts'

/**
 * The state that all processes of a service share. Every call @throws OutsideFault; the process then
 * continues alone.
 */
export interface Shared {
  budgets: SharedBudgets
  streams: SharedStreams
  documents: SharedDocuments
  peers: Peers
}

export interface SharedStreams {
  /**
   * Counts a stream of a client that held `own` streams in this process before.
   * @returns whether all processes together are within `limit`
   */
  open(client: string, own: number, limit: number): Promise<boolean>
  /**
   * Reports the number of streams of each client that this process holds now. It must be repeated: other
   * counts are forgotten.
   */
  hold(counts: readonly (readonly [client: string, own: number])[]): Promise<void>
}

/** The texts of documents by their hash. */
export interface SharedDocuments {
  find(hash: string): Promise<string | undefined>
  keep(hash: string, text: string): Promise<void>
}

const prefix = 'tradegraph:'
/** The time for which an unused document is kept; after that it must be sent again with its text. */
const documentSeconds = 86_400
/** The time for which held streams count. A process reports them three times within it. */
export const heldMs = 30_000

/**
 * The script that counts uses by the clock of Redis, which all processes share. The key of an idle client
 * expires when its bucket is full.
 */
const countUses = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local left = {}
for i, key in ipairs(KEYS) do
  local from = math.max(now, tonumber(redis.call('GET', key) or '0'))
  local fullAt = math.max(now, math.min(from + tonumber(ARGV[2 * i - 1]), now + tonumber(ARGV[2 * i])))
  redis.call('SET', key, string.format('%.3f', fullAt), 'PX', math.ceil(fullAt - now) + 1)
  left[i] = string.format('%.3f', fullAt - now)
end
return left`

/**
 * The script that opens a stream. Each process has a field with its streams and the time until which they
 * count.
 */
const openStream = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local process, own, limit, heldMs = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local others = 0
local fields = redis.call('HGETALL', KEYS[1])
for i = 1, #fields, 2 do
  local count, untilMs = string.match(fields[i + 1], '^(%d+)@(%d+)$')
  if tonumber(untilMs) < now then redis.call('HDEL', KEYS[1], fields[i])
  elseif fields[i] ~= process then others = others + tonumber(count) end
end
if others + own + 1 > limit then return 0 end
redis.call('HSET', KEYS[1], process, string.format('%d@%d', own + 1, now + heldMs))
redis.call('PEXPIRE', KEYS[1], heldMs)
return 1`

const holdStreams = `
local time = redis.call('TIME')
local untilMs = time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[2])
for i, key in ipairs(KEYS) do
  local own = tonumber(ARGV[i + 2])
  if own == 0 then redis.call('HDEL', key, ARGV[1])
  else
    redis.call('HSET', key, ARGV[1], string.format('%d@%d', own, untilMs))
    redis.call('PEXPIRE', key, ARGV[2])
  end
end
return 1`

/**
 * Creates the shared state. The scripts take keys of several clients: one server, or one with replicas, but
 * no Redis Cluster.
 */
export function shareOver(redis: RedisConnection): Shared {
  const process = randomUUID()
  const streamsKey = (client: string) => `${prefix}streams:${client}`
  return {
    peers: createPeers(redis, process, heldMs),
    budgets: {
      async count(uses) {
        const keys = uses.map(({ client, kind }) => `${prefix}budget:${kind}:${client}`)
        const values = uses.flatMap(({ costMs, maxMs }) => [costMs.toFixed(3), maxMs.toFixed(3)])
        const left = await redis.ask((server) => server.eval(countUses, keys.length, ...keys, ...values))
        return (left as string[]).map(Number)
      },
    },
    streams: {
      async open(client, own, limit) {
        const key = streamsKey(client)
        return (
          (await redis.ask((server) => server.eval(openStream, 1, key, process, own, limit, heldMs))) === 1
        )
      },
      async hold(counts) {
        const keys = counts.map(([client]) => streamsKey(client))
        const values = counts.map(([, own]) => own)
        await redis.ask((server) =>
          server.eval(holdStreams, keys.length, ...keys, process, heldMs, ...values),
        )
      },
    },
    documents: {
      find: async (hash) =>
        (await redis.ask((server) => server.getex(`${prefix}document:${hash}`, 'EX', documentSeconds))) ??
        undefined,
      async keep(hash, text) {
        await redis.ask((server) => server.set(`${prefix}document:${hash}`, text, 'EX', documentSeconds))
      },
    },
  }
}
