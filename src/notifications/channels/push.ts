import { ECDH } from 'node:crypto'
import webPush from 'web-push'
import type { Channel, PushKeys } from '../../domain/notification/channel.ts'
import { ReceiverFault, type ReceiverResponse, type Receivers } from '../../outside/receiver.ts'
import type { Delivery } from '../../storage/channels/deliveries.ts'
import { messageOf, orderPageOf, pageOf, truncated } from './message.ts'
import type { Sender, SendResult } from './sender.ts'

/** Identity of this service for push services (RFC 8292). Keys are in base64url. */
export interface VapidDetails {
  publicKey: string
  privateKey: string
  /** `mailto:` or `https:` contact for the operator of a push service. */
  subject: string
}

interface PushOptions {
  receivers: Receivers
  vapid: VapidDetails
  publicUrl: URL | undefined
}

/** Message for a service worker. */
interface PushMessage {
  /** Constant across attempts: a notification with this tag replaces the previous one. */
  id: string
  title: string
  text: string
  link: string | null
  /** Confirms the channel. */
  token?: string
}

/** A browser that comes back later than that has its list of notifications. */
const ttlSeconds = 86_400
/** Up to 6 bytes per unit in JSON: with the other members far below the 3,993 bytes of RFC 8291. */
const maxTextLength = 400

/** Checks for a point of P-256, as in the encryption and signatures of push: 65 bytes in base64url. */
export function isPushKey(text: string): boolean {
  try {
    const point = ECDH.convertKey(text, 'prime256v1', 'base64url', 'hex', 'uncompressed')
    return point === Buffer.from(text, 'base64url').toString('hex')
  } catch {
    return false
  }
}

/**
 * Encrypts a notification for one browser (RFC 8291), and posts it to that browser's push service (RFC 8030).
 */
export function createPushSender({ receivers, vapid, publicUrl }: PushOptions): Sender {
  async function push(channel: Channel, message: PushMessage, signal?: AbortSignal): Promise<SendResult> {
    try {
      const answer = await post(channel, message, signal)
      // Some accept less than the standard: the title still goes out, and the page has the rest.
      return toResult(answer.status === 413 ? await post(channel, { ...message, text: '' }, signal) : answer)
    } catch (fault) {
      if (!(fault instanceof ReceiverFault)) throw fault
      return { kind: 'failed', status: null, fault: fault.message }
    }
  }

  function post(channel: Channel, message: PushMessage, signal?: AbortSignal): Promise<ReceiverResponse> {
    const { headers, body } = webPush.generateRequestDetails(
      { endpoint: channel.address, keys: channel.keys as PushKeys },
      JSON.stringify(message),
      {
        vapidDetails: vapid,
        TTL: ttlSeconds,
        // A push service that holds a message for an absent browser replaces it by a later one of the same
        // topic.
        topic: message.id.replaceAll('-', '').slice(0, 32),
        urgency: message.token === undefined ? 'normal' : 'high',
      },
    )
    const texts = Object.entries(headers).map(([name, value]) => [name, String(value)])
    return receivers.post(channel.address, Object.fromEntries(texts), body, signal)
  }

  return {
    maxDigest: 1,
    send(channel, [delivery], signal) {
      if (!delivery) throw new RangeError('nothing to send')
      const { title, text } = messageOf(delivery)
      // Most texts repeat the title at the start.
      const more = text.startsWith(`${title}: `) ? text.slice(title.length + 2) : text
      const message = {
        id: pushId(delivery),
        title,
        text: truncated(more, maxTextLength),
        link: orderPageOf(delivery, publicUrl) ?? pageOf(channel, publicUrl),
      }
      return push(channel, message, signal)
    },
    sendConfirmation: (channel, token) =>
      push(channel, {
        id: channel.id,
        title: 'Notifications are on',
        text: 'This browser gets the notifications of your account.',
        link: pageOf(channel, publicUrl),
        token,
      }),
  }
}

/** Gives a correction the id of the notification that it replaces. */
function pushId({ id, notification }: Delivery): string {
  return notification ? `n${notification.id}` : `test${id}`
}

function toResult({ status, retryAfterMs }: ReceiverResponse): SendResult {
  if (status >= 200 && status < 300) return { kind: 'sent', status }
  const fault = `status ${status}`
  // The browser has unsubscribed, or its subscription has expired.
  if (status === 404 || status === 410) return { kind: 'gone', status, fault }
  return { kind: 'failed', status, fault, retryAfterMs }
}
