import { LRUCache } from 'lru-cache'

const mostKnown = 200
const longestKnown = 300

/** Clients write the same few headers, and come from the same few places: what was made of them is kept. */
export function remembering<Read extends object>(read: (text: string) => Read): (text: string) => Read {
  const known = new LRUCache<string, Read>({ max: mostKnown, memoMethod: read })
  return (text) => (text.length < longestKnown ? known.memo(text) : read(text))
}
