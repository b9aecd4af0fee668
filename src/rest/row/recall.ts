import type { Services } from '../../graphql/context/context.ts'
import { weakTag } from '../../http/conditional.ts'
import type { HttpResponse } from '../../http/response.ts'
import { freshnessHeaders } from './caching.ts'
import type { Route } from './route.ts'

/** In characters: what is longer is kept as bytes, which whoever compresses them remembers too. */
const longText = 1_024

/** Writes what is in memory, once for each second of its age; undefined when the document has to answer. */
export function createRecall(
  recall: NonNullable<Route['recall']>,
  services: Services,
): (path: Record<string, string>) => HttpResponse | undefined {
  const known = new WeakMap<object, { age: number; written: HttpResponse }>()
  return (path) => {
    const recalled = recall({ network: path.network ?? '', path }, services)
    if (!recalled) return undefined
    const { of, answer, freshness } = recalled
    const last = known.get(of)
    if (last?.age === freshness.age) return last.written
    const body = last?.written ?? write(answer())
    if (!body) return undefined
    const written = { ...body, headers: { ...body.headers, ...freshnessHeaders(freshness) } }
    known.set(of, { age: freshness.age, written })
    return written
  }
}

/** What is no answer is for the document to tell. */
function write(answer: unknown): HttpResponse | undefined {
  if (answer === null) return undefined
  const text = JSON.stringify(answer)
  const headers = { 'Content-Type': 'application/json', ETag: weakTag(text) }
  return { status: 200, headers, body: text.length < longText ? text : Buffer.from(text) }
}
