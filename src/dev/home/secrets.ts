import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import webPush from 'web-push'
import { z } from 'zod'
import { readJson, writeDurably } from './durable-file.ts'

const secrets = z.object({
  /** `CMS_API_KEY`. */
  cmsKey: z.string().min(16),
  /** What browsers subscribe to, and are sent by. */
  vapid: z.object({ publicKey: z.string(), privateKey: z.string() }),
})

/** Keys of one home. A key in the source would be everybody’s: any web page can send it to a service on its reader’s machine. */
export type HomeSecrets = z.infer<typeof secrets>

/** Makes them at the first start; a reset makes others. */
export function secretsOf(path: string): HomeSecrets {
  const file = join(path, 'secrets.json')
  const known = secrets.safeParse(readJson(file)).data
  if (known) return known
  const made = { cmsKey: randomBytes(24).toString('base64url'), vapid: webPush.generateVAPIDKeys() }
  writeDurably(file, JSON.stringify(made))
  return made
}
