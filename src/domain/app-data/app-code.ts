/** The maximum length of an indexed name. Orders cannot be found by longer names. */
export const longestAppCode = 100

/**
 * Returns the application that a document names in its root, for the index; null if the name is missing or
 * not indexed.
 */
export function appCodeOf(document: string | null): string | null {
  if (document === null) return null
  const { appCode } = parseRoot(document)
  const isIndexed = typeof appCode === 'string' && appCode.length <= longestAppCode && !appCode.includes('\0')
  return isIndexed ? appCode : null
}

/** Parses a stored document, which was checked before. A document that is not an object has no appCode. */
function parseRoot(document: string): { appCode?: unknown } {
  try {
    return Object(JSON.parse(document))
  } catch {
    return {}
  }
}
