import type { Services } from '../../graphql/context/context.ts'
import { weakTag } from '../../http/conditional.ts'
import type { HttpResponse } from '../../http/response.ts'
import { freshnessHeaders } from './caching.ts'
import type { Route } from './route.ts'

/** In characters: longer bodies are kept as bytes, whose compression is cached. */
const maxTextLength = 1_024

/** Answers from memory. The body is written once, the headers again for each second of the age. */
export function createRecall(
  recall: NonNullable<Route['recall']>,
  services: Services,
): (path: Record<string, string>) => HttpResponse | undefined {
  const cache = new WeakMap<object, { age: number; answer: HttpResponse }>()
  return (path) => {
    const recalled = recall({ network: path.network ?? '', path }, services)
    if (!recalled) return undefined
    const { of, freshness } = recalled
    const cached = cache.get(of)
    if (cached?.age === freshness.age) return cached.answer
    const earlier = cached?.answer ?? write(recalled.answer())
    if (!earlier) return undefined
    const answer = { ...earlier, headers: { ...earlier.headers, ...freshnessHeaders(freshness) } }
    cache.set(of, { age: freshness.age, answer })
    return answer
  }
}

/** Undefined for null: then the document produces the refusal. */
function write(content: unknown): HttpResponse | undefined {
  if (content === null) return undefined
  const text = JSON.stringify(content)
  const headers = { 'Content-Type': 'application/json', ETag: weakTag(text) }
  return { status: 200, headers, body: text.length < maxTextLength ? text : Buffer.from(text) }
}
