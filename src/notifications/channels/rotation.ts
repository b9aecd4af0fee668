import { Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Channel, WebhookKeys } from '../../domain/notification/channel.ts'
import { findChannelLocked, updateChannel } from '../../storage/channels/channels.ts'
import { type ChannelServices, requireChannel } from './manage.ts'
import { newWebhookSecret, validPrevious } from './webhook.ts'

const previousSecretMs = 24 * 3_600_000
/** Each is a signature on every message. */
const maxPrevious = 3

/**
 * Gives a webhook a new secret. For a day messages are signed with the previous one too, also after another rotation.
 * @throws Refusal ChannelNotFound, TooManySecrets, InvalidParameter for a channel without a secret
 */
export async function rotateChannelSecret(
  account: Address,
  id: string,
  { db, now }: Pick<ChannelServices, 'db' | 'now'>,
): Promise<{ channel: Channel; secret: string }> {
  const { kind } = await requireChannel(db, account, id)
  if (kind !== 'webhook')
    throw new Refusal('InvalidParameter', 'only webhooks have a secret', { field: 'id' })
  const secret = newWebhookSecret()
  const until = new Date(now() + previousSecretMs).toISOString()
  // Of rotations at the same time each keeps the secret that the one before it gave out.
  const channel = await db.transaction(async (tx) => {
    const locked = await findChannelLocked(tx, id)
    if (!locked) return undefined
    const keys = locked.keys as WebhookKeys
    const valid = validPrevious(keys, now())
    if (valid.length >= maxPrevious) throw tooManySecrets(valid, now())
    return await updateChannel(tx, id, {
      keys: { secret, previous: [{ secret: keys.secret, until }, ...valid] },
    })
  })
  if (!channel) throw new Refusal('ChannelNotFound', 'the account has no such channel', { field: 'id' })
  return { channel, secret }
}

function tooManySecrets(valid: ReturnType<typeof validPrevious>, now: number): Refusal {
  const earliest = Math.min(...valid.map(({ until }) => Date.parse(until)))
  return new Refusal('TooManySecrets', `${maxPrevious} previous secrets are still valid`, {
    field: 'id',
    data: { retryAfterMs: earliest - now },
  })
}
