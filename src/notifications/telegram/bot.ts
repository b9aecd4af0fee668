import { Api, type ApiClientOptions, GrammyError } from 'grammy'
import { createLruCache } from '../../domain/derived.ts'
import type { Clock, Log } from '../../domain/log.ts'
import { OutsideFault } from '../../outside/fault.ts'
import { createHealth, type HealthLimits } from '../../outside/health.ts'
import { readUpTo } from '../../outside/http-json.ts'
import type { SendResult, TakenTurn } from '../channels/sender.ts'

interface BotOptions {
  /** A secret: it is part of each URL, so that faults of the transport are never shown or logged. */
  token: string
  apiRoot: string
  now: Clock
  log: Log
}

/** A bot of Telegram. */
export interface Bot {
  /** @throws BotFault */
  username(): Promise<string>
  /** Sends HTML. Bounded in time; never throws. */
  send(chat: string, html: string, signal?: AbortSignal): Promise<SendResult>
  /** Waits up to `pollSeconds` for updates from `offset` on; confirms earlier ones. @throws BotFault */
  updates(offset: number | undefined, signal: AbortSignal): Promise<{ update_id: number }[]>
  /**
   * Confirms the updates before `offset`, without waiting for others. Bounded to two seconds.
   * @throws BotFault
   */
  confirm(offset: number): Promise<void>
  /** Has updates posted to the URL. @throws BotFault */
  setWebhook(url: string, secret: string, signal: AbortSignal): Promise<void>
  /** Has updates kept for `updates`. @throws BotFault */
  deleteWebhook(signal: AbortSignal): Promise<void>
}

/** A call failed. The message is ours, without the token. */
export class BotFault extends Error {
  readonly status: number | null
  readonly retryAfterMs: number | undefined
  /** The chat will not take messages again. */
  readonly isGone: boolean

  constructor(
    message: string,
    {
      status = null,
      retryAfterMs,
      isGone = false,
    }: { status?: number | null; retryAfterMs?: number | undefined; isGone?: boolean } = {},
  ) {
    super(message)
    this.status = status
    this.retryAfterMs = retryAfterMs
    this.isGone = isGone
  }
}

const timeoutMs = 10_000
const pollSeconds = 25
/** Updates in one batch. */
const maxUpdates = 100
/** More than any batch: a message has up to 4,096 characters, plus its sender and its chat. */
const maxAnswerBytes = 4_194_304
const allowedUpdates = ['message', 'my_chat_member'] as const
const limits: HealthLimits = {
  failures: 5,
  pauseMs: { min: 1_000, max: 60_000 },
  backOffMs: { min: 1_000, max: 60_000 },
  atOnce: 64,
}

type ApiSignal = NonNullable<Parameters<Api['getMe']>[0]>

export function createBot({ token, apiRoot, now, log }: BotOptions): Bot {
  // Longer than the longest call: each has its own limit.
  const api = new Api(token, {
    apiRoot,
    timeoutSeconds: 2 * pollSeconds,
    fetch: boundedFetch as unknown as NonNullable<ApiClientOptions['fetch']>,
  })
  const health = createHealth({ name: 'telegram', limits, now, log })
  let name: Promise<string> | undefined

  async function call<T>(
    work: (signal: ApiSignal) => Promise<T>,
    stop?: AbortSignal,
    limitMs = timeoutMs,
  ): Promise<T> {
    const timeout = AbortSignal.timeout(limitMs)
    try {
      return await work((stop ? AbortSignal.any([stop, timeout]) : timeout) as unknown as ApiSignal)
    } catch (fault) {
      if (stop?.aborted || timeout.aborted) throw new BotFault('no answer in time')
      throw asBotFault(fault)
    }
  }

  /** A chat that refuses is no failure of Telegram, nor is a limit, which may be the chat’s alone. */
  async function guarded(work: () => Promise<unknown>): Promise<BotFault | undefined> {
    try {
      return await health.ask(async () => {
        try {
          await work()
          return undefined
        } catch (fault) {
          const { status, message } = fault as BotFault
          if (status === 400 || status === 403 || status === 429) return fault as BotFault
          throw new OutsideFault('telegram', message)
        }
      })
    } catch (fault) {
      return new BotFault(fault instanceof OutsideFault ? fault.reason : 'no answer')
    }
  }

  return {
    username() {
      name ??= call((signal) => api.getMe(signal)).then(({ username }) => username)
      name.catch(() => {
        name = undefined
      })
      return name
    },
    async send(chat, html, signal) {
      const options = { parse_mode: 'HTML', link_preview_options: { is_disabled: true } } as const
      const fault = await guarded(() => call((stop) => api.sendMessage(chat, html, options, stop), signal))
      if (!fault) return { kind: 'sent', status: 200 }
      const { status, message, retryAfterMs, isGone } = fault
      return isGone
        ? { kind: 'gone', status, fault: message }
        : { kind: 'failed', status, fault: message, retryAfterMs }
    },
    updates: (offset, stop) =>
      call(
        (signal) =>
          api.getUpdates(
            {
              ...(offset !== undefined && { offset }),
              limit: maxUpdates,
              timeout: pollSeconds,
              allowed_updates: allowedUpdates,
            },
            signal,
          ),
        stop,
        pollSeconds * 1_000 + timeoutMs,
      ),
    async confirm(offset) {
      await call((signal) => api.getUpdates({ offset, limit: 1, timeout: 0 }, signal), undefined, 2_000)
    },
    async setWebhook(url, secret, stop) {
      const options = { secret_token: secret, max_connections: 4, allowed_updates: allowedUpdates }
      await call((signal) => api.setWebhook(url, options, signal), stop)
    },
    async deleteWebhook(stop) {
      await call((signal) => api.deleteWebhook({}, signal), stop)
    },
  }
}

const goneTexts = /chat not found|user is deactivated|bot was kicked|group chat was upgraded/i

function asBotFault(fault: unknown): BotFault {
  if (!(fault instanceof GrammyError)) return new BotFault('no answer that can be read')
  const { error_code: status, description, parameters } = fault
  if (status === 403) return new BotFault('the chat refuses messages', { status, isGone: true })
  if (status === 400 && goneTexts.test(description))
    return new BotFault('there is no such chat', { status, isGone: true })
  const { retry_after: seconds } = parameters
  const retryAfterMs = typeof seconds === 'number' && seconds > 0 ? seconds * 1_000 : undefined
  return new BotFault(`status ${status}`, { status, retryAfterMs })
}

/** Members of `fetch` that the library needs, without redirects, and with a bounded response. */
async function boundedFetch(url: string, { method, body, signal: stop }: RequestInit) {
  // The library has signals of its own kind.
  const stopping = new AbortController()
  if (stop?.aborted) stopping.abort()
  stop?.addEventListener('abort', () => stopping.abort(), { once: true })
  const response = await fetch(url, {
    method: method ?? 'POST',
    body: body ?? null,
    headers: { 'content-type': 'application/json' },
    redirect: 'error',
    signal: stopping.signal,
  })
  const bytes = await readUpTo(response, maxAnswerBytes)
  return { json: async () => answerOf(bytes) }
}

/** @throws if it is no response of the Bot API */
function answerOf(bytes: Buffer | undefined): object {
  const answer: unknown = JSON.parse(bytes?.toString('utf8') ?? '')
  if (typeof answer !== 'object' || answer === null || !('ok' in answer)) throw new Error('no answer')
  return answer
}

/** Limits messages to a chat to one per interval. */
interface Pace {
  /** Takes the chat’s next turn, unless that is later than in `withinMs`. */
  take(chat: string, withinMs: number): TakenTurn
}

/** Chats with recent messages; above this the oldest are forgotten. */
const maxChats = 10_000

export function createPace(intervalMs: number, now: Clock): Pace {
  const next = createLruCache<string, number>({ max: maxChats })
  return {
    take(chat, withinMs) {
      const at = Math.max(now(), next.get(chat) ?? 0)
      const waitMs = at - now()
      const isTaken = waitMs <= withinMs
      if (isTaken) next.set(chat, at + intervalMs)
      return { isTaken, waitMs }
    },
  }
}
