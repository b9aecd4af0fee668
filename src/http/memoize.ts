import { LRUCache } from 'lru-cache'

const maxEntries = 200
/** The maximum length in characters; results for longer texts are not cached. */
const maxTextLength = 300

/** Caches the results of parsing headers and addresses: clients send the same few values again and again. */
export function memoize<Parsed extends object>(parse: (text: string) => Parsed): (text: string) => Parsed {
  const cache = new LRUCache<string, Parsed>({ max: maxEntries, memoMethod: parse })
  return (text) => (text.length < maxTextLength ? cache.memo(text) : parse(text))
}
