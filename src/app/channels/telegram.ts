import type { Clock, Log } from '../../domain/log.ts'
import { operatorCheck } from '../../graphql/context/access.ts'
import type { Sender } from '../../notifications/channels/sender.ts'
import { type Bot, createBot } from '../../notifications/telegram/bot.ts'
import { pollUpdates, registerWebhook } from '../../notifications/telegram/poll.ts'
import { createTelegramSender } from '../../notifications/telegram/sender.ts'
import { createUpdateHandler } from '../../notifications/telegram/updates.ts'
import { type TelegramUpdates, telegramPath } from '../../server/telegram.ts'
import type { Database } from '../../storage/database/database.ts'
import { whileLeading } from '../../storage/database/leadership.ts'
import type { Settings } from '../settings.ts'

interface TelegramParts {
  settings: Settings
  db: Database
  now: Clock
  log: Log
}

/** Undefined without a bot's token. */
function botOf({ settings, now, log }: Omit<TelegramParts, 'db'>): Bot | undefined {
  const { TELEGRAM_BOT_TOKEN: token, TELEGRAM_API_ROOT: apiRoot } = settings
  return token === undefined ? undefined : createBot({ token, apiRoot, now, log })
}

export function telegramSender(parts: TelegramParts, publicUrl: URL | undefined): { telegram?: Sender } {
  const bot = botOf(parts)
  return bot ? { telegram: createTelegramSender({ bot, publicUrl, now: parts.now }) } : {}
}

/** What serves the updates that Telegram posts; nothing where it does not. */
export function telegramUpdates(parts: TelegramParts): { telegram?: TelegramUpdates } {
  const { TELEGRAM_WEBHOOK_SECRET: secret } = parts.settings
  const bot = secret === undefined ? undefined : botOf(parts)
  if (!bot) return {}
  return { telegram: { isSecret: operatorCheck(secret), handle: createUpdateHandler({ ...parts, bot }) } }
}

/** Takes care that updates come here, or there, until `signal` aborts. One process of all does. */
export async function followTelegram(
  parts: TelegramParts & { databaseUrl: string },
  signal: AbortSignal,
): Promise<void> {
  const { settings, databaseUrl: url, log } = parts
  const { PUBLIC_URL, TELEGRAM_WEBHOOK_SECRET: secret } = settings
  const bot = botOf(parts)
  if (!bot) return
  const handle = createUpdateHandler({ ...parts, bot })
  await whileLeading({ url, name: 'telegram', log, signal }, (leading) =>
    secret !== undefined && PUBLIC_URL !== undefined
      ? registerWebhook({ bot, log }, { url: new URL(telegramPath, PUBLIC_URL).href, secret }, leading)
      : pollUpdates({ bot, log }, handle, leading),
  )
}
