import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { Refusal } from '../../domain/errors/error.ts'
import type { Context } from './context.ts'

/**
 * Whether what came with a request is the operator's key. Hashes are compared, so that the time it takes tells neither the
 * key's length nor how it begins. Without a key nobody is the operator.
 */
export function operatorCheck(key: string | undefined): (given: string | undefined) => boolean {
  const expected = key === undefined ? undefined : digest(key)
  return (given) => expected !== undefined && given !== undefined && timingSafeEqual(expected, digest(given))
}

/** A key in either of the two headers that clients have for it. */
export function apiKeyOf(headers: IncomingHttpHeaders): string | undefined {
  const bearer = headers.authorization && /^Bearer +(\S+)$/i.exec(headers.authorization)?.[1]
  const key = headers['x-api-key']
  return bearer || (Array.isArray(key) ? key[0] : key)
}

/** @throws Refusal Unauthorized */
export function requireOperator({ apiKey, isOperator }: Context): void {
  if (!isOperator?.(apiKey)) {
    throw new Refusal('Unauthorized', 'send the operator’s key as Authorization: Bearer … or X-API-Key')
  }
}

/** @throws Refusal Unauthorized */
export function requireEditor({ apiKey, isEditor }: Pick<Context, 'apiKey' | 'isEditor'>): void {
  if (!isEditor?.(apiKey)) {
    throw new Refusal(
      'Unauthorized',
      'send the key of the content system as Authorization: Bearer … or X-API-Key',
    )
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
