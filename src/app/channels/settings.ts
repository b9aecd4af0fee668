import { z } from 'zod'
import { httpUrl, integer } from '../settings/setting-readers.ts'
import { emailSettings } from './email-settings.ts'
import { pushSettings } from './push-settings.ts'
import { telegramSettings } from './telegram-settings.ts'

export const channelSettings = {
  PUBLIC_URL: httpUrl
    .optional()
    .describe(
      'Address at which people reach the service: the site of sign-in messages and of links in messages. `dev` has its own; without it sign-in is off.',
    ),
  SESSION_MINUTES: integer(1, 43_200).default(60).describe('Minutes until a session of an account ends.'),
  CHANNEL_ALLOWED_HOSTS: z
    .string()
    .transform((text) => text.split(',').map((host) => host.trim().toLowerCase()))
    .default([])
    .describe(
      'Hosts of webhooks and push endpoints that may be in private networks, over http too and on any port: names and addresses, with commas. All others must be public https addresses on port 443 or 8443.',
    ),
  CHANNEL_CONFIRMATIONS: integer(0, 1_000)
    .default(0)
    .describe('Blocks above that of a notification’s cause before it is sent to channels.'),
  ...pushSettings,
  ...telegramSettings,
  ...emailSettings,
}
