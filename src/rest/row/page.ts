import { Refusal } from '../../domain/errors/error.ts'
import type { RestRequest } from './route.ts'

/** @throws Refusal InvalidParameter for what is no whole number */
export function page(query: RestRequest['query']) {
  return {
    offset: wholeNumber(query, 'offset', 0, Number.MAX_SAFE_INTEGER),
    limit: wholeNumber(query, 'limit', 10, 2 ** 31 - 1),
  }
}

/** What is beyond `highest` counts as `highest`: out of bounds either way. */
function wholeNumber(query: RestRequest['query'], name: string, absent: number, highest: number): number {
  const text = query.get(name)
  if (text === null) return absent
  if (/^[0-9]{1,100}$/.test(text)) return Math.min(Number(text), highest)
  throw new Refusal('InvalidParameter', `${name} must be a whole number`, { field: name })
}
