import type { Whole } from '../../http/answer.ts'
import type { Services } from '../context.ts'
import type { AnswerType } from './accepted-type.ts'
import { asObject, type Door } from './execute.ts'
import type { HotAnswer } from './hot.ts'
import type { PersistedDocuments } from './persisted.ts'
import type { GraphqlRequest } from './request.ts'

/** Answers what the database can answer alone; `undefined` for anything else. */
type HotHandler = (asked: GraphqlRequest, type: AnswerType) => Promise<Whole | undefined>

export function createHotHandler(door: Door, services: Services, documents: PersistedDocuments): HotHandler {
  return async (asked, type) => {
    if (typeof asked.query !== 'string') return undefined
    try {
      const way = door.wayOf(asked.query)
      if (way === 'invalid') return undefined
      documents.keep(asked)
      if (way === 'executed' || !isNamed(asked, way)) return undefined
      const body = await way.answer(asObject(asked.variables), services)
      return body === undefined ? undefined : answerOf(type, body)
    } catch {
      // Whatever it is, the ordinary way meets it too and says it in its own words.
      return undefined
    }
  }
}

/** Without a name the only operation is meant. */
function isNamed({ operationName }: GraphqlRequest, way: HotAnswer): boolean {
  return operationName == null || operationName === way.operationName
}

function answerOf(type: AnswerType, body: string): Whole {
  return { status: 200, headers: { 'Content-Type': `${type}; charset=utf-8`, Vary: 'Accept' }, body }
}
