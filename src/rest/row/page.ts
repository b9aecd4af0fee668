import { Refusal } from '../../domain/errors/error.ts'
import type { RestRequest } from './route.ts'

/** Reads `offset` and `limit`. @throws Refusal InvalidParameter if one is no whole number */
export function page(query: RestRequest['query']) {
  return {
    offset: wholeNumber(query, 'offset', 0, Number.MAX_SAFE_INTEGER),
    limit: wholeNumber(query, 'limit', 10, 2 ** 31 - 1),
  }
}

/** Reads a larger number as `max`, which exceeds every limit too. */
function wholeNumber(query: RestRequest['query'], name: string, defaultValue: number, max: number): number {
  const text = query.get(name)
  if (text === null) return defaultValue
  if (/^[0-9]{1,100}$/.test(text)) return Math.min(Number(text), max)
  throw new Refusal('InvalidParameter', `${name} must be a whole number`, { field: name })
}
