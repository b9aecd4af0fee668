import { setTimeout as pause } from 'node:timers/promises'
import { Outage } from '../../domain/errors/error.ts'
import type { Log } from '../../domain/log.ts'
import { type Bot, BotFault } from './bot.ts'
import type { HandleUpdate } from './updates.ts'

export interface PollOptions {
  bot: Pick<Bot, 'updates' | 'confirm' | 'setWebhook' | 'deleteWebhook'>
  log: Log
}

const retryMs = { least: 1_000, most: 60_000 }
/** An answer without updates that comes faster was not waited for. */
const shortPollMs = 1_000

/**
 * Handles updates as they come until `signal` aborts. Telegram keeps them until they are confirmed, which is after they were handled: so
 * each is handled at least once. Only one process may poll at a time.
 */
export async function pollUpdates(
  { bot, log }: PollOptions,
  handle: HandleUpdate,
  signal: AbortSignal,
): Promise<void> {
  let offset: number | undefined
  await repeatedly(log, signal, async () => {
    await bot.deleteWebhook(signal)
    return async () => {
      const since = performance.now()
      const updates = await bot.updates(offset, signal)
      for (const update of updates) {
        if (signal.aborted) return
        await handle(update)
        offset = update.update_id + 1
      }
      if (updates.length === 0 && performance.now() - since < shortPollMs) await wait(shortPollMs, signal)
    }
  })
  if (offset !== undefined) await bot.confirm(offset).catch(() => undefined)
}

/** Has updates posted to `url`, then waits until `signal` aborts. */
export async function registerWebhook(
  { bot, log }: PollOptions,
  { url, secret }: { url: string; secret: string },
  signal: AbortSignal,
): Promise<void> {
  await repeatedly(log, signal, async () => {
    await bot.setWebhook(url, secret, signal)
    log.info('Telegram posts updates to the webhook')
    return () => wait(86_400_000, signal)
  })
}

/** Begins, and then does its work again and again. After a failure it waits, longer each time, and begins anew. */
async function repeatedly(
  log: Log,
  signal: AbortSignal,
  begin: () => Promise<() => Promise<void>>,
): Promise<void> {
  let failures = 0
  while (!signal.aborted) {
    try {
      const work = await begin()
      while (!signal.aborted) {
        await work()
        failures = 0
      }
    } catch (fault) {
      if (signal.aborted) return
      if (!(fault instanceof BotFault || fault instanceof Outage)) throw fault
      const retryAfterMs = fault instanceof BotFault ? (fault.retryAfterMs ?? 0) : 0
      const delay = Math.min(Math.max(retryMs.least * 2 ** failures, retryAfterMs), retryMs.most)
      failures = Math.min(failures + 1, 6)
      log.warn('updates of Telegram wait', { fault: fault.message, seconds: delay / 1_000 })
      await wait(delay, signal)
    }
  }
}

async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => undefined)
}
