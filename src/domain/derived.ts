import { LRUCache } from 'lru-cache'

type Some = NonNullable<unknown>

type Bounded<Key extends Some, Value extends Some> = Omit<
  LRUCache.OptionsMaxLimit<Key, Value, unknown>,
  'maxSize' | 'sizeCalculation'
>

/**
 * Returns a cache of up to `max` entries that takes memory as it fills. An LRUCache by `max` allocates the
 * places of all entries at once, some hundred KiB for ten thousand.
 */
export function createLruCache<Key extends Some, Value extends Some>({
  max,
  ...options
}: Bounded<Key, Value>): LRUCache<Key, Value> {
  return new LRUCache({ ...options, maxSize: max, sizeCalculation: () => 1 })
}

/**
 * Returns a function that derives a value from an object once, and keeps the value for as long as the object
 * lives. Further arguments count at the first call with an object.
 */
export function derivedOnce<From extends object, Rest extends unknown[], Value>(
  derive: (from: From, ...rest: Rest) => Value,
): (from: From, ...rest: Rest) => Value {
  const values = new WeakMap<From, Value>()
  return (from, ...rest) => {
    const known = values.get(from)
    if (known !== undefined) return known
    const value = derive(from, ...rest)
    values.set(from, value)
    return value
  }
}

const maxEntries = 200
/** The maximum length in characters; results for longer texts are not cached. */
const maxTextLength = 300

/** Caches the results of parsing headers and addresses: clients send the same few values again and again. */
export function memoize<Parsed extends object>(parse: (text: string) => Parsed): (text: string) => Parsed {
  const cache = createLruCache<string, Parsed>({ max: maxEntries, memoMethod: parse })
  return (text) => (text.length < maxTextLength ? cache.memo(text) : parse(text))
}
