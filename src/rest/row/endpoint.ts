import { type DocumentNode, type ExecutionResult, getOperationAST, OperationTypeNode } from 'graphql'
import { Refusal } from '../../domain/errors/error.ts'
import type { Admission } from '../../execution/admission/admission.ts'
import { type Charge, chargeOf } from '../../execution/admission/charge.ts'
import { costOf } from '../../execution/admission/cost.ts'
import { estimatedUnits, executedUnits, readUnits } from '../../execution/admission/units.ts'
import type { Executor } from '../../execution/execute.ts'
import type { Produced } from '../../execution/idempotency.ts'
import type { Services } from '../../graphql/context/context.ts'
import { schema } from '../../graphql/schema.ts'
import type { HttpResponse } from '../../http/response.ts'
import type { Reader } from '../../storage/database/database.ts'
import type { Family } from '../errors/body.ts'
import { errorBodyOf } from '../errors/refused.ts'
import { type EventForm, eventOf, type Subscriber } from '../stream.ts'
import { freshnessHeaders } from './caching.ts'
import { compileEnumSpelling } from './enum-spelling.ts'
import { type PathPattern, patternOf } from './path.ts'
import { createRecall } from './recall.ts'
import { isRepeatable, type RestRequest, type Route, type RowTraits } from './route.ts'

const json = 'application/json'

/** A compiled row. */
export interface Endpoint extends PathPattern {
  family: Family
  row: RowTraits
  /** The least that a request is charged. */
  charge: Charge
  /** Reserves the cost of the request's parameters. @param bytes of the body @throws Refusal as `Admission.reserve` does */
  reserve(request: RestRequest, admission: Admission, bytes: number): void
  /** The cost units of an answer of so many bytes. */
  units(bytes: number): number
  /** Whether a request may carry an Idempotency-Key. */
  isRepeatable: boolean
  /** @param context creates the context of the execution, if the row has a document; @param reader for whom a row without one reads */
  perform(request: RestRequest, context: () => Context, reader: Reader): Promise<HttpResponse>
  /** Answers from memory; returns undefined when the document has to be executed. */
  recall: ReturnType<typeof createRecall> | undefined
  /** For subscriptions, which are answered as an event stream. */
  events?: {
    /** @throws Refusal before the first event */
    subscribe(request: RestRequest, context: Context): ReturnType<Subscriber['subscribe']>
    form: EventForm
  }
}

type Context = ReturnType<Executor['context']>

/** @throws when the row's document does not fit the schema */
export function compile(row: Route, family: Family, executor: Executor, services: Services): Endpoint {
  const document = executor.trust(row.run)
  const spelling = compileEnumSpelling(schema, document)
  const charge = chargeOf(schema, document)
  const variablesByRequest = new WeakMap<RestRequest, Record<string, unknown>>()
  const variablesOf = (request: RestRequest) => {
    const variables = variablesByRequest.get(request) ?? spelling.toVariables(row.variables?.(request) ?? {})
    variablesByRequest.set(request, variables)
    return variables
  }
  return {
    ...patternOf(row.on, family === 'orderBook'),
    family,
    row,
    charge,
    isRepeatable: isRepeatable(row),
    reserve(request, admission, bytes) {
      if (charge.reads === 0 || isSubscription(document)) return
      const variables = variablesOf(request)
      admission.reserve({
        charge: chargeOf(schema, document, undefined, variables),
        estimate: () => estimatedUnits(costOf({ schema, document, variableValues: variables })?.requested),
        read: readUnits(bytes),
      })
    },
    units: executedUnits,
    async perform(request, context) {
      const contextValue = row.restricted ? { ...context(), restricted: true } : context()
      const variables = variablesOf(request)
      const { data, errors } = await executor.run(document, variables, contextValue)
      if (errors?.[0]) throw errors[0]
      return toAnswer(row, spelling.toRestSpelling(data) as never, request)
    },
    recall: row.recall && createRecall(row.recall, services),
    ...(isSubscription(document) && {
      events: {
        async subscribe(request, contextValue) {
          const variableValues = variablesOf(request)
          const results = await executor.subscribe({ schema, document, variableValues, contextValue })
          if (!(Symbol.asyncIterator in results)) throw results.errors?.[0]
          return eventsOf(
            results,
            (data) => eventOf(row.answer(spelling.toRestSpelling(data) as never)),
            family,
          )
        },
        form: { closing: (fault) => eventOf(errorBodyOf(fault, family), 'error') },
      },
    }),
  }
}

/** An error is the last event. */
async function* eventsOf(
  results: AsyncGenerator<ExecutionResult, void>,
  write: (data: ExecutionResult['data']) => string,
  family: Family,
): AsyncGenerator<string, void> {
  for await (const { data, errors } of results) {
    yield errors?.[0] ? eventOf(errorBodyOf(errors[0], family), 'error') : write(data)
    if (errors) return
  }
}

/** Turns the document's result into the row's answer. @throws Refusal NotFound */
function toAnswer(row: Route, result: never, request: RestRequest): Produced {
  const content = row.answer(result)
  if (content === null && row.missing) throw new Refusal('NotFound', row.missing)
  const contentType = row.contentType ?? json
  const freshness = row.freshness?.(result)
  return {
    status: row.status?.(result) ?? 200,
    headers: {
      'Content-Type': contentType,
      ...row.headers,
      ...row.headersOf?.(result, request),
      ...(freshness && freshnessHeaders(freshness)),
    },
    body: contentType === json ? JSON.stringify(content) : String(content),
  }
}

function isSubscription(document: DocumentNode): boolean {
  return getOperationAST(document)?.operation === OperationTypeNode.SUBSCRIPTION
}
