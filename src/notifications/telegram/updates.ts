import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { Outage, Refusal } from '../../domain/errors/error.ts'
import type { Clock, Log } from '../../domain/log.ts'
import { channelsOfChat, endChat } from '../../storage/channels/channels.ts'
import type { Database } from '../../storage/database/database.ts'
import { confirmChannel } from '../channels/manage.ts'
import { shortAccount } from '../channels/message.ts'
import { type Bot, BotFault, createPace } from './bot.ts'

interface ChatServices {
  db: Database
  now: Clock
  log: Log
  bot: Pick<Bot, 'send'>
}

/**
 * Executes the command of a chat. A repeated update has no further effect.
 * @throws Outage of the database: then the update has to be repeated
 */
type HandleUpdate = (update: unknown) => Promise<void>

/** Channels that one chat may have. */
const maxChatChannels = 10
/** Concurrent replies: above this chats get none, but their commands are executed. */
const maxAnswers = 20
const answerPaceMs = 1_000
/** Longest lead of replies over that pace. */
const maxAnswerWaitMs = 3_999

const chat = z.object({ id: z.int() })
const schema = z.object({
  message: z.object({ chat, text: z.string().optional() }).optional(),
  my_chat_member: z.object({ chat, new_chat_member: z.object({ status: z.string() }) }).optional(),
})

const help =
  'To get the notifications of an account here, subscribe Telegram for it, and follow the link that you are given. /stop ends all of them.'

export function createUpdateHandler({ db, now, log, bot }: ChatServices): HandleUpdate {
  const pace = createPace(answerPaceMs, now)
  let answers = 0

  /** Replies, except to further commands of a chat that sends more than one a second. */
  function answer(chat: string, text: string): void {
    if (answers >= maxAnswers || !pace.take(chat, maxAnswerWaitMs).isTaken) return
    answers++
    void bot.send(chat, text).finally(() => {
      answers--
    })
  }

  async function start(chat: string, token: string | undefined): Promise<string> {
    if (token === undefined) return help
    if (!/^[\w-]{32}$/.test(token)) return 'This link is not complete.'
    if ((await channelsOfChat(db, chat)) >= maxChatChannels)
      return `This chat gets the notifications of ${maxChatChannels} accounts, the most that it may.`
    try {
      const { account } = await confirmChannel(token, 'chat', { db, now }, { address: chat })
      return `Notifications of ${shortAccount(account)} come here from now on. /stop ends them.`
    } catch (fault) {
      if (!(fault instanceof Refusal)) throw fault
      return fault.code === 'ChannelExists'
        ? 'This chat gets the notifications of this account already.'
        : 'This link does not work, or no longer: it works once, for a day.'
    }
  }

  async function handle(update: unknown): Promise<void> {
    const { data } = schema.safeParse(update)
    const member = data?.my_chat_member
    if (member && ['kicked', 'left'].includes(member.new_chat_member.status)) {
      await endChat(db, String(member.chat.id), new Date(now()))
      return
    }
    const { message } = data ?? {}
    const [, command, token] = /^\/(start|stop)(?:@\w{1,40})?(?: +(\S{1,100}))?\s*$/.exec(
      message?.text ?? '',
    ) ?? ['', undefined, undefined]
    if (!message || command === undefined) return
    const chat = String(message.chat.id)
    if (command === 'start') return answer(chat, await start(chat, token))
    const ended = await endChat(db, chat, new Date(now()))
    answer(chat, ended > 0 ? 'No more notifications come here.' : 'No notifications came here.')
  }

  return async (update) => {
    try {
      await handle(update)
    } catch (fault) {
      if (fault instanceof Outage) throw fault
      // It would fail on each repetition.
      log.error('an update of Telegram was not handled', { fault: String(fault) })
    }
  }
}

interface PollOptions {
  bot: Pick<Bot, 'updates' | 'confirm' | 'setWebhook' | 'deleteWebhook'>
  log: Log
}

const retryMs = { min: 1_000, max: 60_000 }
/** An answer without updates that comes faster was not waited for. */
const shortPollMs = 1_000

/**
 * Handles updates as they come until `signal` aborts. Telegram keeps them until they are confirmed, after
 * they were handled: an update may be handled again. Only one process may poll at a time.
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

/** Begins, then repeats its work. After a failure it waits, longer each time, and begins again. */
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
      const delay = Math.min(Math.max(retryMs.min * 2 ** failures, retryAfterMs), retryMs.max)
      failures = Math.min(failures + 1, 6)
      log.warn('updates of Telegram wait', { fault: fault.message, seconds: delay / 1_000 })
      await wait(delay, signal)
    }
  }
}

async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => undefined)
}
