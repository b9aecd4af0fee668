import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Sent {
  chat: string
  text: string
  options: Record<string, unknown>
}

/** A stand-in of Telegram’s Bot API. */
export interface TelegramStandIn extends AsyncDisposable {
  url: string
  token: string
  sent: Sent[]
  /** What was set by setWebhook. */
  webhook: { url: string; secret_token: string; allowed_updates: string[] } | undefined
  /** Updates that nobody has confirmed. */
  pending(): number
  /** The most calls of getUpdates at once. */
  maxPolls(): number
  /** Decides the answer to a message; it is taken when left out. */
  refuse?: ((sent: Sent) => object | 'hang' | undefined) | undefined
  /** Something that happened in a chat. @returns the update */
  happens(event: object): object
  /** A text that somebody writes. @returns the update */
  says(chat: number, text: string): object
}

export async function startTelegram(): Promise<TelegramStandIn> {
  const token = `123456:${'Ab_-9'.repeat(7)}`
  const updates: { update_id: number }[] = []
  const waiting = new Set<{ offset: number; response: ServerResponse; timer: NodeJS.Timeout }>()
  let nextId = 700
  let maxPolls = 0

  const answer = (response: ServerResponse, status: number, body: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  const ok = (response: ServerResponse, result: unknown) => answer(response, 200, { ok: true, result })
  const fail = (response: ServerResponse, error_code: number, description: string, more: object = {}) =>
    answer(response, error_code, { ok: false, error_code, description, ...more })
  const due = (offset: number) => updates.filter(({ update_id }) => update_id >= offset).slice(0, 100)

  function give(): void {
    for (const poll of waiting) {
      const batch = due(poll.offset)
      if (batch.length === 0) continue
      clearTimeout(poll.timer)
      waiting.delete(poll)
      ok(poll.response, batch)
    }
  }

  type Parameters = Record<string, never> & { offset?: number; timeout?: number; chat_id?: string }
  const methods: Record<string, (response: ServerResponse, parameters: Parameters) => void> = {
    getMe: (response) =>
      ok(response, { id: 123456, is_bot: true, first_name: 'T', username: 'tradegraph_test_bot' }),
    getUpdates(response, { offset = 0, timeout = 0 }) {
      if (standIn.webhook)
        return fail(response, 409, 'Conflict: can’t use getUpdates while webhook is active')
      const confirmed = updates.findIndex(({ update_id }) => update_id >= offset)
      updates.splice(0, confirmed === -1 ? updates.length : confirmed)
      if (timeout === 0 || due(offset).length > 0) return ok(response, due(offset))
      const timer = setTimeout(() => {
        waiting.delete(poll)
        ok(response, [])
      }, timeout * 1_000)
      const poll = { offset, response, timer }
      waiting.add(poll)
      maxPolls = Math.max(maxPolls, waiting.size)
      response.on('close', () => {
        clearTimeout(timer)
        waiting.delete(poll)
      })
    },
    sendMessage(response, { chat_id, text, ...options }) {
      const sent = { chat: String(chat_id), text: String(text), options }
      const refusal = standIn.refuse?.(sent)
      if (refusal === 'hang') return
      if (refusal) {
        const { error_code, description, ...more } = refusal as { error_code: number; description: string }
        return fail(response, error_code, description, more)
      }
      standIn.sent.push(sent)
      ok(response, { message_id: standIn.sent.length })
    },
    setWebhook(response, parameters) {
      standIn.webhook = parameters as unknown as TelegramStandIn['webhook']
      ok(response, true)
    },
    deleteWebhook(response) {
      standIn.webhook = undefined
      ok(response, true)
    },
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const [, bot, method = ''] = (request.url ?? '').split('/')
      if (bot !== `bot${token}`) return fail(response, 401, `Unauthorized: ${bot}`)
      const text = Buffer.concat(chunks).toString('utf8')
      const run = methods[method]
      return run ? run(response, JSON.parse(text || '{}')) : fail(response, 404, 'Not Found')
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))

  const standIn: TelegramStandIn = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    sent: [],
    webhook: undefined,
    pending: () => updates.length,
    maxPolls: () => maxPolls,
    happens(event) {
      const update = { update_id: nextId++, ...event }
      updates.push(update)
      give()
      return update
    },
    says: (chat, text) =>
      standIn.happens({
        message: { message_id: nextId, date: 1_800_000_000, chat: { id: chat, type: 'private' }, text },
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
  return standIn
}
