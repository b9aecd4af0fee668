import { createHmac, randomBytes } from 'node:crypto'
import type { Clock } from '../../domain/log.ts'
import type { Channel, WebhookKeys } from '../../domain/notification/channel.ts'
import { ReceiverFault, type ReceiverResponse, type Receivers } from '../../outside/receiver.ts'
import type { Delivery } from '../../storage/channels/deliveries.ts'
import { orderPageOf } from './message.ts'
import type { Sender, SendResult } from './sender.ts'

const secretPrefix = 'whsec_'
/** Confirmation messages in a day; per host, those not answered with their token. */
const confirmations = { receiver: 100, account: 50, receiverOf: (url: string) => new URL(url).hostname }

export function newWebhookSecret(): string {
  return `${secretPrefix}${randomBytes(32).toString('base64')}`
}

/** Valid secrets, newest first. Rows from before several were kept have one, without a list. */
export function validPrevious({ previous = [] }: WebhookKeys, now: number) {
  return [previous].flat().filter(({ until }) => Date.parse(until) > now)
}

interface WebhookOptions {
  receivers: Receivers
  publicUrl?: URL | undefined
  now: Clock
}

/** Posts each notification alone, signed as Standard Webhooks has it. */
export function createWebhookSender({ receivers, publicUrl, now }: WebhookOptions): Sender {
  const post = ({ address, keys }: Channel, id: string, event: object, signal?: AbortSignal) =>
    postSigned(
      { receivers, now },
      { address, keys: keys as WebhookKeys, id, body: JSON.stringify(event) },
      signal,
    )

  return {
    maxDigest: 1,
    confirmations,
    async send(channel, [delivery], signal) {
      if (!delivery) throw new RangeError('nothing to send')
      const answer = await post(channel, messageId(delivery), eventOf(delivery, publicUrl), signal)
      return 'kind' in answer ? answer : toResult(answer)
    },
    async sendConfirmation(channel, token) {
      const event = { type: 'channel.confirmation', timestamp: new Date(now()), data: { token } }
      const answer = await post(channel, `confirm_${channel.id}`, event)
      if ('kind' in answer) return answer
      return { ...toResult(answer), isConfirmed: isOk(answer) && tokenIn(answer.body) === token }
    },
  }
}

interface SignedMessage {
  address: string
  keys: WebhookKeys
  /** The same in each attempt. */
  id: string
  body: string
}

/** Posts a message signed as Standard Webhooks has it. */
export async function postSigned(
  { receivers, now }: Pick<WebhookOptions, 'receivers' | 'now'>,
  { address, keys, id, body }: SignedMessage,
  signal?: AbortSignal,
): Promise<ReceiverResponse | SendResult> {
  const seconds = Math.floor(now() / 1_000)
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'tradegraph',
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures(keys, `${id}.${seconds}.${body}`, now()),
  }
  try {
    return await receivers.post(address, headers, body, signal)
  } catch (fault) {
    if (!(fault instanceof ReceiverFault)) throw fault
    return { kind: 'failed', status: null, fault: fault.message }
  }
}

/** Constant across attempts and replays: receivers drop repeated ids. */
export function messageId({ id }: Pick<Delivery, 'id'>): string {
  return `msg_${id}`
}

function eventOf(delivery: Delivery, publicUrl: URL | undefined): object {
  const { notification, revision, createdAt } = delivery
  if (!notification) return { type: 'test', timestamp: createdAt, data: { message: 'This is a test.' } }
  const { id, account, type, message, timestamp, metadata } = notification
  return {
    type,
    timestamp,
    data: {
      notificationId: id,
      revision,
      account,
      message,
      isReverted: metadata.reverted === true,
      metadata,
      link: orderPageOf(delivery, publicUrl),
    },
  }
}

/** Signatures, one for each valid secret: `v1,` and HMAC-SHA256 in base64, separated by spaces. */
function signatures(keys: WebhookKeys, content: string, now: number): string {
  return [keys, ...validPrevious(keys, now)]
    .map(({ secret }) => Buffer.from(secret.slice(secretPrefix.length), 'base64'))
    .map((key) => `v1,${createHmac('sha256', key).update(content).digest('base64')}`)
    .join(' ')
}

const isOk = ({ status }: ReceiverResponse) => status >= 200 && status < 300

export function toResult(answer: ReceiverResponse): SendResult {
  const { status, retryAfterMs } = answer
  if (isOk(answer)) return { kind: 'sent', status }
  const fault = `status ${status}`
  return status === 410 ? { kind: 'gone', status, fault } : { kind: 'failed', status, fault, retryAfterMs }
}

function tokenIn(body: string): unknown {
  try {
    return (JSON.parse(body) as { token?: unknown } | null)?.token
  } catch {
    return undefined
  }
}
