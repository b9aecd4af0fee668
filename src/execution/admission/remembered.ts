import { LRUCache } from 'lru-cache'
import type { HttpResponse } from '../../http/response.ts'
import { mentionsSchema } from './introspection.ts'

/** Of all answers, in bytes; the whole schema has about 170,000. */
const maxBytes = 8_388_608
const maxAnswers = 64

interface Question {
  query?: unknown
  operationName?: unknown
  variables?: unknown
}

/** Answers of introspection: they depend on nothing but the document and its variables. */
export interface RememberedAnswers {
  /** `undefined` for what was not asked before, and for what asks about something else. */
  find(params: Question, type: string): HttpResponse | undefined
  /** @returns the answer as it is found from now on: as bytes, which are compressed once */
  keep(params: Question, type: string, answer: HttpResponse): HttpResponse
}

/** Those that were asked last. */
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
      const kept = { ...answer, body: Buffer.from(answer.body) }
      answers.set(keyOf(params, type), kept)
      return kept
    },
  }
}

function keyOf({ query, operationName, variables }: Question, type: string): string {
  return JSON.stringify([type, operationName ?? null, variables ?? null, query])
}
