/** The progress of a walk, and its first error. */
export interface Walk {
  pages: number
  items: number
  seconds: number
  longestPageMs: number
  largestPage: number
  /** The fault; undefined when every auction came once and in its position. */
  fault: string | undefined
}

export interface Page {
  ids: number[]
  /** The cursor of the next page; undefined on the last one. */
  next: string | undefined
  bytes: number
}

/** The expected numbers: each once, in this order. */
export interface Expected {
  first: number
  items: number
  /** The direction: from the first up, or from the last down. */
  direction: 'up' | 'down'
}

/**
 * Walks all pages, each requested by the previous one's cursor.
 * @throws errors of `ask`
 */
export async function walk(
  ask: (cursor: string | undefined) => Promise<Page>,
  { first, items, direction }: Expected,
): Promise<Walk> {
  const started = performance.now()
  const result: Walk = {
    pages: 0,
    items: 0,
    seconds: 0,
    longestPageMs: 0,
    largestPage: 0,
    fault: undefined,
  }
  let cursor: string | undefined
  do {
    const asked = performance.now()
    const { ids, next, bytes } = await ask(cursor)
    result.pages++
    result.longestPageMs = Math.max(result.longestPageMs, performance.now() - asked)
    result.largestPage = Math.max(result.largestPage, bytes)
    for (const id of direction === 'up' ? ids : ids.toReversed()) {
      const expected = direction === 'up' ? first + result.items : first + items - 1 - result.items
      if (id !== expected) result.fault ??= `page ${result.pages}: ${id} instead of ${expected}`
      result.items++
    }
    if (next !== undefined && (next === cursor || ids.length === 0)) {
      result.fault ??= `page ${result.pages} leads nowhere`
      break
    }
    cursor = next
  } while (cursor !== undefined && result.items <= items)
  if (result.items !== items) result.fault ??= `${result.items} auctions instead of ${items}`
  result.seconds = (performance.now() - started) / 1000
  return result
}
