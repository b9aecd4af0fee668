import { createECDH } from 'node:crypto'
import webPush from 'web-push'
import { z } from 'zod'
import { toEmailAddress } from '../../domain/notification/channel.ts'
import { isPushKey, type VapidDetails } from '../../notifications/channels/push.ts'
import { httpUrl, integer, refuse } from '../settings/setting-readers.ts'

const isSmtpUrl = (text: string) => {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, pathname, search, hash } = new URL(text)
  return /^smtps?:$/.test(protocol) && hostname !== '' && /^\/?$/.test(pathname) && search + hash === ''
}

const emailSettings = {
  SMTP_URL: z
    .string()
    .refine(isSmtpUrl, 'must be smtp:// or smtps://, with a host')
    .optional()
    .describe(
      'SMTP server for e-mail channels: `smtps://user:password@host`, or `smtp://` with STARTTLS; without that a password is sent to this machine only. Needs SMTP_FROM and PUBLIC_URL.',
    ),
  SMTP_FROM: z
    .string()
    .transform(
      (text, context) =>
        toMailbox(text) ?? refuse(context, 'must be an address, or a name and an address in <>'),
    )
    .optional()
    .describe('Sender of e-mails: an address, or `Name <address>`.'),
  EMAIL_MAX_PER_MINUTE: integer(1, 60)
    .default(5)
    .describe(
      'Maximum e-mails of one notification to a channel in a minute: further ones wait for its end, and are sent as one.',
    ),
}

interface Mailbox {
  name: string
  address: string
}

function toMailbox(text: string): Mailbox | undefined {
  const [, name = '', bracketed] = /^([\p{L}\p{N} .&'-]{0,60})<([^<>]*)>$/u.exec(text) ?? []
  const address = toEmailAddress(bracketed ?? text)
  return address === undefined ? undefined : { name: name.trim(), address }
}

/** Faults between settings that are valid each for itself. */
export function emailFaults({ SMTP_URL, SMTP_FROM }: { SMTP_URL?: unknown; SMTP_FROM?: unknown }): string[] {
  if ((SMTP_URL === undefined) === (SMTP_FROM === undefined)) return []
  return [
    SMTP_URL === undefined ? 'SMTP_URL: is needed with SMTP_FROM' : 'SMTP_FROM: is needed with SMTP_URL',
  ]
}

const publicKey = z
  .string()
  .regex(/^[\w-]{87}$/, 'must be 65 bytes in base64url')
  .refine(isPushKey, 'must be a public key of P-256')
const privateKey = z.string().regex(/^[\w-]{43}$/, 'must be 32 bytes in base64url')
const subject = z
  .string()
  .max(500)
  .regex(/^(mailto:[^@\s]+@[^@\s]+|https:\/\/\S+)$/, 'must be mailto: and an address, or a URL with https:')

const pushSettings = {
  VAPID_PUBLIC_KEY: publicKey
    .optional()
    .describe(
      'Public key by which push services know this service; `tradegraph vapid-keys` makes a pair. With VAPID_PRIVATE_KEY and VAPID_SUBJECT it enables web push. A new key ends all subscriptions of browsers.',
    ),
  VAPID_PRIVATE_KEY: privateKey.optional().describe('The private key to VAPID_PUBLIC_KEY.'),
  VAPID_SUBJECT: subject
    .optional()
    .describe('Contact for operators of push services: mailto:you@example.com, or a URL with https.'),
}

type PushSettings = { [Name in keyof typeof pushSettings]?: string | undefined }

/** Keys of web push; undefined if it is not enabled. */
export function vapidOf(settings: PushSettings): VapidDetails | undefined {
  const { VAPID_PUBLIC_KEY, VAPID_PRIVATE_KEY, VAPID_SUBJECT } = settings
  return VAPID_PUBLIC_KEY && VAPID_PRIVATE_KEY && VAPID_SUBJECT
    ? { publicKey: VAPID_PUBLIC_KEY, privateKey: VAPID_PRIVATE_KEY, subject: VAPID_SUBJECT }
    : undefined
}

/** Faults between settings that are valid each for itself. */
export function pushFaults(settings: PushSettings): string[] {
  const names = Object.keys(pushSettings) as (keyof PushSettings)[]
  const missing = names.filter((name) => settings[name] === undefined)
  if (missing.length === names.length) return []
  if (missing.length > 0) return missing.map((name) => `${name}: is needed with the other settings of VAPID`)
  const { VAPID_PUBLIC_KEY: key = '', VAPID_PRIVATE_KEY: secret = '' } = settings
  return publicKeyOf(secret) === key ? [] : ['VAPID_PRIVATE_KEY: is not the key to VAPID_PUBLIC_KEY']
}

/** A new pair, as lines of an environment file. */
export function newVapidKeys(): string {
  const { publicKey, privateKey } = webPush.generateVAPIDKeys()
  return `VAPID_PUBLIC_KEY=${publicKey}\nVAPID_PRIVATE_KEY=${privateKey}`
}

/** The public key; undefined for a number that is no key. */
function publicKeyOf(secret: string): string | undefined {
  try {
    const pair = createECDH('prime256v1')
    pair.setPrivateKey(secret, 'base64url')
    return pair.getPublicKey('base64url')
  } catch {
    return undefined
  }
}

const telegramSettings = {
  TELEGRAM_BOT_TOKEN: z
    .string()
    .regex(/^\d{1,20}:[\w-]{20,100}$/, 'must be a bot’s token')
    .optional()
    .describe('Token of the bot that writes to chats of Telegram. Without it such channels are off.'),
  TELEGRAM_API_ROOT: httpUrl
    .transform((url) => url.replace(/\/$/, ''))
    .default('https://api.telegram.org')
    .describe('Base URL of the Bot API, such as a server of your own.'),
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

/** Faults between settings of Telegram. */
export function telegramFaults(settings: TelegramSettings): string[] {
  const { PUBLIC_URL, TELEGRAM_BOT_TOKEN, TELEGRAM_WEBHOOK_SECRET } = settings
  if (TELEGRAM_WEBHOOK_SECRET === undefined) return []
  return [
    ...(TELEGRAM_BOT_TOKEN === undefined ? ['TELEGRAM_WEBHOOK_SECRET: needs TELEGRAM_BOT_TOKEN'] : []),
    ...(PUBLIC_URL?.startsWith('https:') ? [] : ['TELEGRAM_WEBHOOK_SECRET: needs a PUBLIC_URL with https']),
  ]
}

const isNatsUrl = (text: string) =>
  text.split(',').every((each) => {
    if (!URL.canParse(each)) return false
    const { protocol, hostname, pathname, search, hash } = new URL(each)
    return /^(nats|tls):$/.test(protocol) && hostname !== '' && /^\/?$/.test(pathname) && search + hash === ''
  })

/** Names in subjects: without dots, spaces and wildcards. */
const natsName = z.string().regex(/^[\w-]{1,64}$/, 'must be 1 to 64 letters, digits, _ and -')

const natsSettings = {
  NATS_URL: z
    .string()
    .refine(isNatsUrl, 'must be nats:// or tls://, with a host')
    .optional()
    .describe(
      'Servers of NATS JetStream that get the feed of the book, separated by commas: `nats://user:password@host:4222`, a token in place of both, or `tls://`. Without it nothing is published.',
    ),
  NATS_CREDENTIALS: z.string().optional().describe('File of credentials for NATS, as `nsc` writes it.'),
  NATS_STREAM: natsName
    .default('TRADEGRAPH')
    .describe('Stream that stores the feed. It is created if it is missing.'),
  NATS_SUBJECT: natsName.default('event').describe('First word of the subjects: `event.{chainId}.{label}`.'),
}

export const channelSettings = {
  ...natsSettings,
  PUBLIC_URL: httpUrl
    .optional()
    .describe(
      'Public address of the service: the site of sign-in messages and of links in messages. With `localhost` or `127.0.0.1` accounts sign in at both. `dev` has its own; without it sign-in is off.',
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
    .describe('Blocks that have to follow a notification’s cause before it is sent to channels.'),
  ...pushSettings,
  ...telegramSettings,
  ...emailSettings,
}
