import { z } from 'zod'
import { type Address, toAddress } from '../domain/evm/address.ts'
import type { Clock, Log } from '../domain/log.ts'
import {
  type Announcement,
  announcementLocations,
  renderTemplate,
} from '../domain/notification/announcement.ts'
import { createAnswerCache } from '../outside/answer-cache.ts'
import { invalidResponse, OutsideFault } from '../outside/fault.ts'
import { createHealth, type HealthLimits } from '../outside/health.ts'
import { exchangeJson } from '../outside/http-json.ts'

export interface Announcements {
  /**
   * Announcements for the account and for all, newest first, up to 100.
   * @throws Outage if the content system does not answer
   */
  of(account: Address): Promise<readonly Announcement[]>
}

interface AnnouncementOptions {
  /** Base URL of the content system: `/notification-list/…` is appended to its path. */
  url: string
  /** Sent as a bearer token. */
  apiKey: string
  now: Clock
  log: Log
}

const name = 'content system'
const maxBytes = 262_144
const maxAnnouncements = 100
const timeoutMs = 2_000
const keptMs = 60_000
const maxAccounts = 200
/** Tolerated lead of its clock: later items are left out. */
const maxAheadMs = 24 * 3_600_000
const limits: HealthLimits = {
  failures: 5,
  pauseMs: { min: 1_000, max: 60_000 },
  backOffMs: { min: 1_000, max: 60_000 },
  atOnce: 16,
}

/** Announcements of the connected content system, by account: with a breaker, and cached for a minute. */
export function createAnnouncements({ url, apiKey, now, log }: AnnouncementOptions): Announcements {
  const headers = { authorization: `Bearer ${apiKey}` }
  const peer = { name, url, now, headers, timeoutMs, maxBytes }
  const health = createHealth({ name, limits, now, log })
  const cache = createAnswerCache<Received[]>({ maxEntries: maxAccounts, now, ttlMs: () => keptMs })
  const schema = itemSchema(url)

  async function ask(account: Address): Promise<Received[]> {
    const path = `/notification-list/${account}`
    const { status, body } = await exchangeJson(peer, { path }, AbortSignal.timeout(timeoutMs))
    if (status !== 200) throw new OutsideFault(name, `status ${status}`)
    if (!Array.isArray(body)) throw invalidResponse(name, 'its answer is no list')
    const known = new Set<string>()
    return body.flatMap((item) => {
      const { data } = schema.safeParse(item)
      if (!data || known.has(data.id) || data.createdAt.getTime() > now() + maxAheadMs) return []
      known.add(data.id)
      return data
    })
  }

  return {
    async of(account) {
      const announcements = await cache(account, () => health.ask(() => ask(account)))
      return announcements
        .filter((each) => (each.account ?? account) === account && (each.dueAt ?? now()) >= now())
        .sort((one, other) => Number(other.createdAt) - Number(one.createdAt))
        .slice(0, maxAnnouncements)
        .map(({ dueAt: _, ...announcement }) => announcement)
    },
  }
}

interface Received extends Announcement {
  /** Shown until then. */
  dueAt: number | undefined
}

const text = (length: number) => z.string().max(length)

/** Leaves out items that it does not accept, and those for push messages. */
function itemSchema(base: string): z.ZodType<Received> {
  return z
    .object({
      id: z.union([z.int(), text(40).min(1).refine(isPlain)]).transform(String),
      account: z
        .string()
        .transform((given, context) => toAddress(given) ?? refuse(context))
        .nullish(),
      title: text(500),
      description: text(20_000).nullish(),
      // Null is read as 1970.
      createdAt: z.coerce.date().refine((at) => at.getTime() > 0),
      url: text(2_000).nullish(),
      thumbnail: text(2_000).nullish(),
      location: z.string().nullish(),
      push: z.boolean().nullish(),
      dueDate: z.coerce.date().nullish(),
      data: z.record(z.string(), z.unknown()).nullish(),
    })
    .refine(({ push }) => push !== true)
    .transform(({ id, account, title, description, createdAt, url, thumbnail, location, dueDate, data }) => ({
      id,
      account: account ?? null,
      title: shownText(renderTemplate(title, data ?? {})),
      description: shownText(renderTemplate(description ?? '', data ?? {})),
      url: linkOf(url),
      // Links of the content system itself are relative to it.
      thumbnail: linkOf(thumbnail, base),
      location: announcementLocations.find((known) => known === location) ?? 'default',
      createdAt,
      dueAt: dueDate?.getTime(),
    }))
}

function refuse(context: z.RefinementCtx): never {
  context.addIssue({ code: 'custom', message: 'must be an address' })
  return z.NEVER
}

/** Rejects control characters and lone surrogates. */
function isPlain(given: string): boolean {
  return !/[\p{Cc}\p{Cs}]/u.test(given)
}

/** Removes unprintable characters: controls except tabs and line breaks, and lone surrogates. */
function shownText(given: string): string {
  return given.replace(/\p{Cs}/gu, '\ufffd').replace(/(?![\t\n\r])\p{Cc}/gu, '')
}

/** A link to a page; a path is one of the client’s own, unless there is a base. */
function linkOf(link: string | null | undefined, base?: string): string | null {
  // Browsers drop tabs and line breaks in a link, and "/\t/host" then leads elsewhere.
  if (link == null || link === '' || !isPlain(link)) return null
  if (base === undefined && /^\/(?![/\\])/.test(link)) return link
  const url = URL.canParse(link, base) ? new URL(link, base) : undefined
  return url && /^https?:$/.test(url.protocol) && !url.username && !url.password ? url.href : null
}
