import { setTimeout as pause } from 'node:timers/promises'
import type { SignInServices } from '../../accounts/sign-in.ts'
import type { Clock, Log } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import { channelKinds } from '../../domain/notification/channel.ts'
import { operatorCheck } from '../../graphql/context/access.ts'
import { type Announcements, createAnnouncements } from '../../notifications/announcements.ts'
import { createEmailSender } from '../../notifications/channels/email.ts'
import type { ChannelServices } from '../../notifications/channels/manage.ts'
import { createPushSender } from '../../notifications/channels/push.ts'
import type { Sender } from '../../notifications/channels/sender.ts'
import { createWebhookSender } from '../../notifications/channels/webhook.ts'
import { type DeliveryOptions, runDelivery } from '../../notifications/delivery/deliver.ts'
import { type Bot, createBot } from '../../notifications/telegram/bot.ts'
import { createTelegramSender } from '../../notifications/telegram/sender.ts'
import { createUpdateHandler, pollUpdates, registerWebhook } from '../../notifications/telegram/updates.ts'
import { createReceivers } from '../../outside/receiver.ts'
import { createMailer } from '../../outside/smtp.ts'
import type { Metrics } from '../../server/metrics.ts'
import { type TelegramUpdates, telegramPath } from '../../server/telegram.ts'
import { readWaitingDeliveries } from '../../storage/channels/queue.ts'
import type { Database } from '../../storage/database/database.ts'
import { whileLeading } from '../../storage/database/leadership.ts'
import { openSignals, type Signals } from '../../storage/database/signals.ts'
import type { NetworkParts } from '../network.ts'
import type { Settings } from '../settings.ts'
import { vapidOf } from './settings.ts'
import { type SinkParts, startSinks } from './sinks.ts'

interface TelegramParts {
  settings: Settings
  db: Database
  now: Clock
  log: Log
}

/** The bot of the settings; undefined without its token. */
function botOf({ settings, now, log }: Omit<TelegramParts, 'db'>): Bot | undefined {
  const { TELEGRAM_BOT_TOKEN: token, TELEGRAM_API_ROOT: apiRoot } = settings
  return token === undefined ? undefined : createBot({ token, apiRoot, now, log })
}

function telegramSender(parts: TelegramParts, publicUrl: URL | undefined): { telegram?: Sender } {
  const bot = botOf(parts)
  return bot ? { telegram: createTelegramSender({ bot, publicUrl, now: parts.now }) } : {}
}

/** Handler of the updates that Telegram posts; empty if it posts none. */
function telegramUpdates(parts: TelegramParts): { telegram?: TelegramUpdates } {
  const { TELEGRAM_WEBHOOK_SECRET: secret } = parts.settings
  const bot = secret === undefined ? undefined : botOf(parts)
  if (!bot) return {}
  return { telegram: { isSecret: operatorCheck(secret), handle: createUpdateHandler({ ...parts, bot }) } }
}

/** Makes updates arrive here, by webhook or polling, until `signal` aborts. One process of all does. */
async function runTelegramUpdates(
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

interface ChannelParts {
  settings: Settings
  db: Database
  now: Clock
  log: Log
}

/** Senders by kind of channel, only of kinds that settings enable. */
function sendersOf(parts: ChannelParts) {
  const { settings, now } = parts
  const publicUrl = publicUrlOf(settings)
  const receivers = createReceivers(settings.CHANNEL_ALLOWED_HOSTS)
  const vapid = vapidOf(settings)
  const senders: ChannelServices['senders'] = {
    webhook: createWebhookSender({ receivers, publicUrl, now }),
    ...(vapid && { push: createPushSender({ receivers, vapid, publicUrl }) }),
    ...telegramSender(parts, publicUrl),
    ...emailSender(parts, publicUrl),
  }
  return { receivers, senders }
}

function emailSender(
  { settings, now, log }: ChannelParts,
  publicUrl: URL | undefined,
): ChannelServices['senders'] {
  const { SMTP_URL: url, SMTP_FROM: from, EMAIL_MAX_PER_MINUTE: maxAlone } = settings
  if (!url || !from || !publicUrl) return {}
  return {
    email: createEmailSender({ mailer: createMailer({ url, now, log }), from, publicUrl, maxAlone, now }),
  }
}

/** Services of channels for the interfaces. */
export function composeChannels(
  parts: ChannelParts,
  networks: readonly Pick<NetworkParts, 'network' | 'checkSignature'>[],
): { signIn: SignInServices; channels: ChannelServices; telegram?: TelegramUpdates } {
  const { settings, db, now } = parts
  const { receivers, senders } = sendersOf(parts)
  const publicUrl = publicUrlOf(settings)
  const checks = new Map(networks.map(({ network, checkSignature }) => [network.chainId, checkSignature]))
  return {
    signIn: {
      db,
      now,
      publicUrl,
      checkSignature: (chainId) => checks.get(chainId),
      sessionMs: settings.SESSION_MINUTES * 60_000,
    },
    channels: {
      db,
      now,
      senders,
      addressFault: receivers.fault,
      pushPublicKey: settings.VAPID_PUBLIC_KEY,
    },
    ...telegramUpdates(parts),
  }
}

function publicUrlOf({ PUBLIC_URL }: Settings): URL | undefined {
  return PUBLIC_URL === undefined ? undefined : new URL(PUBLIC_URL)
}

interface DeliveryParts extends ChannelParts, Pick<DeliveryOptions, 'random'>, Pick<SinkParts, 'readPage'> {
  databaseUrl: string
  networks: readonly Pick<Network, 'chainId'>[]
  metrics: Pick<Metrics, 'deliveries' | 'sinks'>
}

/** Limit of counted waiting messages in metrics. */
const maxCounted = 10_000

/** Sends from the outbox until `signal` aborts, in any number of processes. */
export async function startDelivery(parts: DeliveryParts, signal: AbortSignal): Promise<void> {
  const { databaseUrl, networks, settings, metrics, db, log } = parts
  metrics.deliveries.watch(() => readWaitingDeliveries(db, channelKinds, maxCounted))
  const signals = await openUntilOpen(databaseUrl, log, signal)
  if (!signals) return
  const { senders } = sendersOf(parts)
  const confirmations = Object.fromEntries(
    networks.map(({ chainId }) => [chainId, settings.CHANNEL_CONFIRMATIONS]),
  )
  try {
    await Promise.all([
      runDelivery({ ...parts, signals, senders, confirmations, onSent: metrics.deliveries.count }, signal),
      runTelegramUpdates(parts, signal),
      startSinks({ ...parts, signals, meter: metrics.sinks }, signal),
    ])
  } finally {
    await signals.close()
  }
}

/** Waits for the database at the start. @returns undefined if `signal` aborts before */
async function openUntilOpen(url: string, log: Log, signal: AbortSignal): Promise<Signals | undefined> {
  while (!signal.aborted) {
    try {
      return await openSignals(url, log)
    } catch (fault) {
      log.warn('deliveries wait for the database', { fault: String(fault) })
      await pause(1_000, undefined, { signal }).catch(() => undefined)
    }
  }
  return undefined
}

/** Announcements of the connected content system; empty without one. */
export function composeAnnouncements({ settings, now, log }: { settings: Settings; now: Clock; log: Log }): {
  announcements?: Announcements
} {
  const { CMS_URL: url, CMS_API_KEY: apiKey, CMS_ENABLED } = settings
  if (url === undefined || apiKey === undefined || CMS_ENABLED === false) return {}
  return { announcements: createAnnouncements({ url, apiKey, now, log }) }
}
