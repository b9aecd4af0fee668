/** Longer names are not indexed, so orders cannot be found by them. */
export const longestAppCode = 100

/** The application that a document names in its root, for the index; null when it names none that is indexed. */
export function appCodeOf(document: string | null): string | null {
  if (document === null) return null
  const { appCode } = parseRoot(document)
  const isIndexed = typeof appCode === 'string' && appCode.length <= longestAppCode && !appCode.includes('\0')
  return isIndexed ? appCode : null
}

/** Stored documents were checked; a document that is not an object has no appCode. */
function parseRoot(document: string): { appCode?: unknown } {
  try {
    return Object(JSON.parse(document))
  } catch {
    return {}
  }
}
