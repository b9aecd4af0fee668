import { setTimeout as pause } from 'node:timers/promises'
import type { SignInServices } from '../../accounts/sign-in.ts'
import type { Clock, Log } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import type { ChannelServices } from '../../notifications/channels/manage.ts'
import { createWebhookSender } from '../../notifications/channels/webhook.ts'
import { type DeliveryOptions, runDelivery } from '../../notifications/delivery/deliver.ts'
import { createReceivers } from '../../outside/receiver.ts'
import type { Database } from '../../storage/database/database.ts'
import { openSignals, type Signals } from '../../storage/database/signals.ts'
import type { NetworkParts } from '../network.ts'
import type { Settings } from '../settings.ts'

interface ChannelParts {
  settings: Settings
  db: Database
  now: Clock
}

/** What sends to channels, by kind: only kinds that settings enable. */
function sendersOf({ settings, now }: ChannelParts) {
  const receivers = createReceivers(settings.CHANNEL_ALLOWED_HOSTS)
  return { receivers, senders: { webhook: createWebhookSender({ receivers, now }) } }
}

/** What the interfaces need. */
export function composeChannels(
  parts: ChannelParts,
  networks: readonly Pick<NetworkParts, 'network' | 'checkSignature'>[],
): { signIn: SignInServices; channels: ChannelServices } {
  const { settings, db, now } = parts
  const { receivers, senders } = sendersOf(parts)
  const publicUrl = settings.PUBLIC_URL === undefined ? undefined : new URL(settings.PUBLIC_URL)
  const checks = new Map(networks.map(({ network, checkSignature }) => [network.chainId, checkSignature]))
  return {
    signIn: {
      db,
      now,
      publicUrl,
      checkSignature: (chainId) => checks.get(chainId),
      sessionMs: settings.SESSION_MINUTES * 60_000,
    },
    channels: { db, now, senders, addressFault: receivers.fault },
  }
}

interface DeliveryParts extends ChannelParts, Pick<DeliveryOptions, 'random' | 'log'> {
  databaseUrl: string
  networks: readonly Pick<Network, 'chainId'>[]
  log: Log
}

/** Sends what the outbox holds, until `signal` aborts. Any number of processes may. */
export async function startDelivery(parts: DeliveryParts, signal: AbortSignal): Promise<void> {
  const { databaseUrl, networks, settings, log } = parts
  const signals = await openUntilOpen(databaseUrl, log, signal)
  if (!signals) return
  const { senders } = sendersOf(parts)
  const confirmations = Object.fromEntries(
    networks.map(({ chainId }) => [chainId, settings.CHANNEL_CONFIRMATIONS]),
  )
  try {
    await runDelivery({ ...parts, signals, senders, confirmations }, signal)
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
