import { LRUCache } from 'lru-cache'

type Some = NonNullable<unknown>

type Bounded<Key extends Some, Value extends Some> = Omit<
  LRUCache.OptionsMaxLimit<Key, Value, unknown>,
  'maxSize' | 'sizeCalculation'
>

/**
 * Returns a cache of up to `max` entries that takes memory as it fills. An LRUCache that is created with `max`
 * allocates the places of all entries at once, some hundred KiB for ten thousand.
 */
export function createLruCache<Key extends Some, Value extends Some>({
  max,
  ...options
}: Bounded<Key, Value>): LRUCache<Key, Value> {
  return new LRUCache({ ...options, maxSize: max, sizeCalculation: () => 1 })
}
