/** What a longer name would cost an index is not worth it: orders of such an application are not found by it. */
export const longestAppCode = 100

/** The application that a document names in its root, for finding its orders; null when it names none that can be looked for. */
export function appCodeOf(document: string | null): string | null {
  if (document === null) return null
  const { appCode } = parseRoot(document)
  const isKept = typeof appCode === 'string' && appCode.length <= longestAppCode && !appCode.includes('\0')
  return isKept ? appCode : null
}

/** Documents are checked before they are stored; what is no object all the same names nothing. */
function parseRoot(document: string): { appCode?: unknown } {
  try {
    return Object(JSON.parse(document))
  } catch {
    return {}
  }
}
