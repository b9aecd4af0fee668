import { randomUUID } from 'node:crypto'
import { Refusal } from '../../domain/errors/error.ts'
import type { Clock } from '../../domain/log.ts'
import type { BookWebhook } from '../../domain/notification/feed-sink.ts'
import { OutsideFault, Throttled } from '../../outside/fault.ts'
import { type Receivers, spelledOnce } from '../../outside/receiver.ts'
import type { Database } from '../../storage/database/database.ts'
import { signal } from '../../storage/database/signals.ts'
import {
  type FeedSink,
  findWebhooks,
  insertWebhook,
  pauseWebhook,
  removeWebhook,
  type SinkFilter,
  type WebhookOwner,
} from '../../storage/feeds/sinks.ts'
import { parsePosition } from '../../storage/query/feed-source.ts'
import { refusalOf } from '../../storage/query/stored-refusals.ts'
import { newWebhookSecret, postSigned, toResult } from '../channels/webhook.ts'
import { sinksChanged } from './run.ts'
import type { SinkSender } from './sink.ts'

/**
 * Limits of webhooks of the book, of the operator and of each partner: each has a loop, and a series of
 * metrics.
 */
export const maxBookWebhooks = { operator: 20, partner: 2 }

/** Posts the entries of a batch together. Its id has the first and the last place. */
export function createBookWebhookSender(
  { id, name, url, secret }: FeedSink,
  options: { receivers: Receivers; now: Clock },
): SinkSender {
  return {
    async send(events, stop) {
      const [first, last] = [events[0]?.cursor, events.at(-1)?.cursor]
      const body = `{"events":[${events.map(({ json }) => json).join(',')}],"cursor":"${last}"}`
      const message = {
        id: `book_${id}_${first}_${last}`,
        address: url ?? '',
        keys: { secret: secret ?? '' },
        body,
      }
      const answer = await postSigned(options, message, stop)
      const result = 'kind' in answer ? answer : toResult(answer)
      if (result.kind === 'sent') return
      const { retryAfterMs } = result.kind === 'failed' ? result : {}
      throw retryAfterMs === undefined
        ? new OutsideFault(name, result.fault)
        : new Throttled(name, result.fault, retryAfterMs)
    },
  }
}

interface BookWebhookServices {
  db: Database
  addressFault(url: string): string | undefined
}

/**
 * Stores a webhook. It begins after the newest entry if `after` is left out.
 * @returns the webhook, and its secret, which is shown this once
 * @throws Refusal InvalidParameter
 */
export async function createBookWebhook(
  { name, url, filter, after }: { name: string; url: string; filter: SinkFilter; after?: string | undefined },
  partner: WebhookOwner,
  { db, addressFault }: BookWebhookServices,
): Promise<{ webhook: BookWebhook; secret: string }> {
  const fault = addressFault(url)
  if (fault) throw refused('url', `url ${fault}`)
  const cursor = after === undefined ? undefined : parsePosition(after, 'after')
  const created = {
    id: randomUUID(),
    name,
    url: spelledOnce(url),
    secret: newWebhookSecret(),
    partner,
    filter,
    cursor,
  }
  const limit = maxBookWebhooks[partner === null ? 'operator' : 'partner']
  const outcome = await db.transaction((tx) => insertWebhook(tx, created, limit))
  if (outcome === 'too many') throw refused('name', `there are ${limit} webhooks: delete one first`)
  if (outcome === 'beyond the head') throw refusalOf('c')
  if (outcome === 'known') throw refused('name', 'name is that of another webhook')
  await signal(db, 'deliveries', sinksChanged)
  return { webhook: await requireWebhook(db, created.id, partner), secret: created.secret }
}

const refused = (field: string, message: string) => new Refusal('InvalidParameter', message, { field })

async function requireWebhook(db: Database, id: string, owner: WebhookOwner): Promise<BookWebhook> {
  const [webhook] = await findWebhooks(db, owner, [id])
  if (!webhook) throw notFound()
  return webhook
}

const notFound = () => new Refusal('NotFound', 'there is no such webhook', { field: 'id' })

/** Ends or begins a pause: what is committed meanwhile is sent after it. @throws Refusal NotFound */
export async function pauseBookWebhook(
  id: string,
  owner: WebhookOwner,
  isPaused: boolean,
  { db }: Pick<BookWebhookServices, 'db'>,
): Promise<BookWebhook> {
  if (!(await pauseWebhook(db, id, owner, isPaused))) throw notFound()
  await signal(db, 'deliveries', sinksChanged)
  return await requireWebhook(db, id, owner)
}

/** @throws Refusal NotFound */
export async function deleteBookWebhook(
  id: string,
  owner: WebhookOwner,
  { db }: Pick<BookWebhookServices, 'db'>,
): Promise<void> {
  if (!(await removeWebhook(db, id, owner))) throw notFound()
  await signal(db, 'deliveries', sinksChanged)
}
