import { affiliateCodePattern } from '../affiliate/affiliate.ts'

const form = new RegExp(affiliateCodePattern, 'i')

/**
 * The code that a document names in `metadata.referrer.code`, in any letter case, in capitals; null when it names none. Older documents
 * name an address there, which is no code.
 */
export function referrerCodeOf(document: string | null): string | null {
  // Nearly no document has one, and this is read for every order. A backslash can write the name in another way.
  if (document === null || !/referrer|\\/.test(document)) return null
  const code = member(member(member(parse(document), 'metadata'), 'referrer'), 'code')
  return typeof code === 'string' && form.test(code) ? code.toUpperCase() : null
}

/** Documents are checked before they are stored; what is no object all the same names nobody. */
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
