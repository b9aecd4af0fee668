import { z } from 'zod'
import { httpUrl } from '../settings/setting-readers.ts'

export const telegramSettings = {
  TELEGRAM_BOT_TOKEN: z
    .string()
    .regex(/^\d{1,20}:[\w-]{20,100}$/, 'must be a bot’s token')
    .optional()
    .describe('Token of the bot that writes to chats of Telegram. Without it there are no such channels.'),
  TELEGRAM_API_ROOT: httpUrl
    .transform((url) => url.replace(/\/$/, ''))
    .default('https://api.telegram.org')
    .describe('Where the Bot API is, such as a server of your own.'),
  TELEGRAM_WEBHOOK_SECRET: z
    .string()
    .regex(/^[\w-]{16,256}$/, 'must be 16 to 256 letters, digits, _ and -')
    .optional()
    .describe(
      'Telegram posts messages of chats to PUBLIC_URL, with this secret. Without it the role `deliver` polls for them.',
    ),
}

interface TelegramSettings {
  PUBLIC_URL?: string | undefined
  TELEGRAM_BOT_TOKEN?: string | undefined
  TELEGRAM_WEBHOOK_SECRET?: string | undefined
}

/** Settings that do not go together. */
export function telegramFaults(settings: TelegramSettings): string[] {
  const { PUBLIC_URL, TELEGRAM_BOT_TOKEN, TELEGRAM_WEBHOOK_SECRET } = settings
  if (TELEGRAM_WEBHOOK_SECRET === undefined) return []
  return [
    ...(TELEGRAM_BOT_TOKEN === undefined ? ['TELEGRAM_WEBHOOK_SECRET: needs TELEGRAM_BOT_TOKEN'] : []),
    ...(PUBLIC_URL?.startsWith('https:') ? [] : ['TELEGRAM_WEBHOOK_SECRET: needs a PUBLIC_URL with https']),
  ]
}
