import type { IncomingMessage } from 'node:http'
import { Refusal } from '../domain/errors/error.ts'
import type { Executor } from '../execution/execute.ts'
import { checkBodyType, readBody } from '../http/body.ts'
import type { Caller } from '../http/caller.ts'
import type { HttpResponse } from '../http/response.ts'

export const telegramPath = '/channels/telegram/updates'

/** Handler of updates that Telegram posts. */
export interface TelegramUpdates {
  /** Compares the secret with Telegram's in constant time. */
  isSecret(secret: string | undefined): boolean
  /** @throws Outage: then the update has to be repeated */
  handle(update: unknown): Promise<void>
}

/** Larger than any update. */
const maxBytes = 65_536

/** Telegram's own requests are not limited; each other one costs one unit, and its body is not read. */
export function createTelegramHandler(
  { isSecret, handle }: TelegramUpdates,
  executor: Pick<Executor, 'arrive'>,
): (req: IncomingMessage, caller: Caller) => Promise<HttpResponse> {
  return async (req, caller) => {
    const secret = req.headers['x-telegram-bot-api-secret-token']
    if (!isSecret(typeof secret === 'string' ? secret : undefined)) {
      executor.arrive(caller)
      throw new Refusal('Unauthorized', 'this is for Telegram')
    }
    if (req.method !== 'POST') throw new Refusal('MethodNotAllowed', 'use POST')
    checkBodyType(req.headers)
    await handle(parsed(await readBody(req, maxBytes)))
    return { status: 200, headers: { 'Content-Type': 'application/json' }, body: '{}' }
  }
}

/** @throws Refusal InvalidParameter */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal('InvalidParameter', 'the body must be JSON')
  }
}
