import { affiliateCodePattern } from '../affiliate/affiliate.ts'

const form = new RegExp(affiliateCodePattern, 'i')

/**
 * Returns the code in a document's `metadata.referrer.code` in upper case, or null without one. Older
 * documents have an address in `metadata.referrer`, which is not a code.
 */
export function referrerCodeOf(document: string | null): string | null {
  // Fast path: runs for every order, and few documents have a code. A backslash can escape the member's name.
  if (document === null || !/referrer|\\/.test(document)) return null
  const code = member(member(member(parse(document), 'metadata'), 'referrer'), 'code')
  return typeof code === 'string' && form.test(code) ? code.toUpperCase() : null
}

/** Parses a stored document, which was checked before. A document that does not parse has no referrer. */
function parse(document: string): unknown {
  try {
    return JSON.parse(document)
  } catch {
    return undefined
  }
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}
