import { setTimeout as pause } from 'node:timers/promises'
import type { SignInServices } from '../../accounts/sign-in.ts'
import type { Clock, Log } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import { channelKinds } from '../../domain/notification/channel.ts'
import { createEmailSender } from '../../notifications/channels/email/sender.ts'
import type { ChannelServices } from '../../notifications/channels/manage.ts'
import { createPushSender } from '../../notifications/channels/push.ts'
import { createWebhookSender } from '../../notifications/channels/webhook.ts'
import { type DeliveryOptions, runDelivery } from '../../notifications/delivery/deliver.ts'
import { createReceivers } from '../../outside/receiver.ts'
import { createMailer } from '../../outside/smtp.ts'
import type { DeliveryMetrics } from '../../server/measures/delivery-metrics.ts'
import type { TelegramUpdates } from '../../server/telegram.ts'
import { readWaitingDeliveries } from '../../storage/channels/queue.ts'
import type { Database } from '../../storage/database/database.ts'
import { openSignals, type Signals } from '../../storage/database/signals.ts'
import type { NetworkParts } from '../network.ts'
import type { Settings } from '../settings.ts'
import { vapidOf } from './push-settings.ts'
import { followTelegram, telegramSender, telegramUpdates } from './telegram.ts'

interface ChannelParts {
  settings: Settings
  db: Database
  now: Clock
  log: Log
}

/** What sends to channels, by kind: only kinds that settings enable. */
function sendersOf(parts: ChannelParts) {
  const { settings, now } = parts
  const publicUrl = publicUrlOf(settings)
  const receivers = createReceivers(settings.CHANNEL_ALLOWED_HOSTS)
  const vapid = vapidOf(settings)
  const senders: ChannelServices['senders'] = {
    webhook: createWebhookSender({ receivers, now }),
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

/** What the interfaces need. */
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

interface DeliveryParts extends ChannelParts, Pick<DeliveryOptions, 'random'> {
  databaseUrl: string
  networks: readonly Pick<Network, 'chainId'>[]
  metrics: DeliveryMetrics
}

/** Of the messages that wait, those that are counted for the metrics. */
const maxCounted = 10_000

/** Sends what the outbox holds, until `signal` aborts. Any number of processes may. */
export async function startDelivery(parts: DeliveryParts, signal: AbortSignal): Promise<void> {
  const { databaseUrl, networks, settings, metrics, db, log } = parts
  metrics.watch(() => readWaitingDeliveries(db, channelKinds, maxCounted))
  const signals = await openUntilOpen(databaseUrl, log, signal)
  if (!signals) return
  const { senders } = sendersOf(parts)
  const confirmations = Object.fromEntries(
    networks.map(({ chainId }) => [chainId, settings.CHANNEL_CONFIRMATIONS]),
  )
  try {
    await Promise.all([
      runDelivery({ ...parts, signals, senders, confirmations, onSent: metrics.count }, signal),
      followTelegram(parts, signal),
    ])
  } finally {
    await signals.close()
  }
}

/** The database may be away at the start. @returns undefined when `signal` aborts before */
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
