import { LRUCache } from 'lru-cache'
import type { HttpResponse } from '../../http/response.ts'
import { mentionsSchema } from './introspection.ts'
import type { GraphqlParams } from './operations.ts'

/** Of all answers together; the response with the whole schema has about 170,000. */
const maxBytes = 8_388_608
const maxAnswers = 64

/** Cached answers of introspection, which depend on the document and its variables only. */
export interface RememberedAnswers {
  /** Undefined for new documents, and for those without introspection. */
  find(params: GraphqlParams, type: string): HttpResponse | undefined
  /** @returns the cached answer, with its body as bytes, which are compressed once */
  keep(params: GraphqlParams, type: string, answer: HttpResponse): HttpResponse
}

export function createRememberedAnswers(): RememberedAnswers {
  const answers = new LRUCache<string, HttpResponse>({
    max: maxAnswers,
    maxSize: maxBytes,
    sizeCalculation: ({ body }, key) => body.length + key.length,
  })
  return {
    find({ query, ...params }, type) {
      if (typeof query !== 'string' || !mentionsSchema(query)) return undefined
      return answers.get(keyOf({ query, ...params }, type))
    },
    keep(params, type, answer) {
      const cached = { ...answer, body: Buffer.from(answer.body) }
      answers.set(keyOf(params, type), cached)
      return cached
    },
  }
}

function keyOf({ query, operationName, variables }: GraphqlParams, type: string): string {
  return JSON.stringify([type, operationName ?? null, variables ?? null, query])
}
