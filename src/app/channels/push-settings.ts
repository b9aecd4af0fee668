import { createECDH } from 'node:crypto'
import webPush from 'web-push'
import { z } from 'zod'
import { isPushKey, type VapidDetails } from '../../notifications/channels/push.ts'

const publicKey = z
  .string()
  .regex(/^[\w-]{87}$/, 'must be 65 bytes in base64url')
  .refine(isPushKey, 'must be a public key of P-256')
const privateKey = z.string().regex(/^[\w-]{43}$/, 'must be 32 bytes in base64url')
const subject = z
  .string()
  .max(500)
  .regex(/^(mailto:[^@\s]+@[^@\s]+|https:\/\/\S+)$/, 'must be mailto: and an address, or a URL with https:')

export const pushSettings = {
  VAPID_PUBLIC_KEY: publicKey
    .optional()
    .describe(
      'Public key by which push services know this service; `tradegraph vapid-keys` makes a pair. With VAPID_PRIVATE_KEY and VAPID_SUBJECT it enables web push. Who replaces it loses all subscriptions of browsers.',
    ),
  VAPID_PRIVATE_KEY: privateKey.optional().describe('The private key to VAPID_PUBLIC_KEY.'),
  VAPID_SUBJECT: subject
    .optional()
    .describe('Where operators of push services reach you: mailto:you@example.com, or a URL with https.'),
}

type PushSettings = { [Name in keyof typeof pushSettings]?: string | undefined }

/** Undefined where web push is not enabled. */
export function vapidOf(settings: PushSettings): VapidDetails | undefined {
  const { VAPID_PUBLIC_KEY, VAPID_PRIVATE_KEY, VAPID_SUBJECT } = settings
  return VAPID_PUBLIC_KEY && VAPID_PRIVATE_KEY && VAPID_SUBJECT
    ? { publicKey: VAPID_PUBLIC_KEY, privateKey: VAPID_PRIVATE_KEY, subject: VAPID_SUBJECT }
    : undefined
}

/** Faults of settings that are valid each for itself. */
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

/** Undefined for a number that is no key. */
function publicKeyOf(secret: string): string | undefined {
  try {
    const pair = createECDH('prime256v1')
    pair.setPrivateKey(secret, 'base64url')
    return pair.getPublicKey('base64url')
  } catch {
    return undefined
  }
}
