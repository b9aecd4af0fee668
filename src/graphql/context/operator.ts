import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { Refusal } from '../../domain/errors/error.ts'

/**
 * Whether a request's key is the configured one; always false when none is configured. Compares hashes, so that the
 * time of the comparison reveals neither the length nor a prefix of the key.
 */
export function operatorCheck(key: string | undefined): (apiKey: string | undefined) => boolean {
  const expected = key === undefined ? undefined : digest(key)
  return (apiKey) =>
    expected !== undefined && apiKey !== undefined && timingSafeEqual(expected, digest(apiKey))
}

/** The key in `Authorization: Bearer …` or `X-API-Key`. */
export function apiKeyOf(headers: IncomingHttpHeaders): string | undefined {
  const bearer = headers.authorization && /^Bearer +(\S+)$/i.exec(headers.authorization)?.[1]
  const key = headers['x-api-key']
  return bearer || (Array.isArray(key) ? key[0] : key)
}

/** A request, and whose key it may have. */
interface Asking {
  apiKey: string | undefined
  isOperator?(apiKey: string | undefined): boolean
  isEditor?(apiKey: string | undefined): boolean
  markPersonal?(): void
}

/** @throws Refusal Unauthorized */
export function requireOperator({ apiKey, isOperator, markPersonal }: Asking): void {
  if (!isOperator?.(apiKey)) {
    throw new Refusal('Unauthorized', 'send the operator’s key as Authorization: Bearer … or X-API-Key')
  }
  markPersonal?.()
}

/** @throws Refusal Unauthorized */
export function requireEditor({ apiKey, isEditor, markPersonal }: Asking): void {
  if (!isEditor?.(apiKey)) {
    throw new Refusal(
      'Unauthorized',
      'send the key of the content system as Authorization: Bearer … or X-API-Key',
    )
  }
  markPersonal?.()
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
