import type { ExecutionResult } from 'graphql'
import { derivedOnce } from '../../domain/derived.ts'
import { Refusal } from '../../domain/errors/error.ts'
import { zeroAddress } from '../../domain/evm/address.ts'
import type { Network } from '../../domain/network/network.ts'
import {
  type Admission,
  estimatedUnits,
  executedUnits,
  keptUnits,
  readUnits,
  writtenUnits,
} from '../../execution/admission/admission.ts'
import { chargeOf } from '../../execution/admission/charge.ts'
import { type Charge, oneRead } from '../../execution/admission/rate-limits.ts'
import type { Executor } from '../../execution/execute.ts'
import type { Produced } from '../../execution/idempotency.ts'
import { Operation } from '../../execution/operation.ts'
import type { Context, Services } from '../../graphql/context/context.ts'
import { type TradingServices, tradingOn } from '../../graphql/context/networks.ts'
import { storing } from '../../graphql/context/stored-bytes.ts'
import { schema } from '../../graphql/schema.ts'
import { ambientOf } from '../../graphql/stored/reading.ts'
import { type HttpResponse, weakTag } from '../../http/response.ts'
import type { PassedRequest } from '../../mirror/writes.ts'
import { defaultReportAuctions } from '../../storage/bodies/debug-report.ts'
import { type Reader, readFor } from '../../storage/database/database.ts'
import type { Ambient } from '../../storage/query/selection.ts'
import { errorBodyOf, type Family } from '../errors.ts'
import { type EventForm, eventOf, type StreamSubscriber } from '../stream.ts'
import { compileEnumSpelling } from './enum-spelling.ts'
import { freshnessHeaders, isRepeatable, type RestRequest, type Route, type RowTraits } from './route.ts'
import { type PathPattern, patternOf } from './router.ts'

/** A length in characters: longer bodies are kept as bytes, whose compression is cached. */
const maxTextLength = 1_024

/** Creates answers from memory. The body is written once, the headers once for each second of the age. */
function createMemoryResponse(
  recall: NonNullable<Route['fromMemory']>,
  services: Services,
): (path: Record<string, string>) => HttpResponse | undefined {
  const kept = derivedOnce((_of: object): { age?: number; answer?: HttpResponse } => ({}))
  return (path) => {
    const found = recall({ network: path.network ?? '', path }, services)
    if (!found) return undefined
    const { of, freshness } = found
    const cached = kept(of)
    if (cached.age === freshness.age) return cached.answer
    const earlier = cached.answer ?? write(found.answer())
    if (!earlier) return undefined
    const answer = { ...earlier, headers: { ...earlier.headers, ...freshnessHeaders(freshness) } }
    Object.assign(cached, { age: freshness.age, answer })
    return answer
  }
}

/** Returns undefined for null: the document then produces the refusal. */
function write(content: unknown): HttpResponse | undefined {
  if (content === null) return undefined
  const text = JSON.stringify(content)
  const headers = { 'Content-Type': 'application/json', ETag: weakTag(text) }
  return { status: 200, headers, body: text.length < maxTextLength ? text : Buffer.from(text) }
}

const json = 'application/json'

/** A compiled row. */
export interface Endpoint extends PathPattern {
  family: Family
  row: RowTraits
  /** The minimum charge of a request. */
  charge: Charge
  /** Returns the cost units of an answer of this size. */
  units(bytes: number): number
  /** Reports whether a request may carry an Idempotency-Key. */
  isRepeatable: boolean
  /** Reports whether the order book that a network follows answers: the body is then not read here. */
  isPassedOn?(network: string): boolean
  /**
   * Reserves the cost of the request's parameters, and answers.
   * @param context creates the context of the execution, if the row has a document
   * @param reader the reader for a row without one
   */
  perform(request: AdmittedRequest, context: () => Context, reader: Reader): Promise<HttpResponse>
  /** Answers from memory; returns undefined when the document must be executed. */
  recall: ReturnType<typeof createMemoryResponse> | undefined
  /** The event stream of a subscription; of a row with `stream`, for clients that ask for it. */
  events?: {
    /** Reserves the cost of the request's parameters, if it is known. @throws Refusal */
    reserve?(request: AdmittedRequest): void
    /** @throws Refusal before the first event */
    subscribe(request: RestRequest, context: Context): ReturnType<StreamSubscriber['subscribe']>
    form: EventForm
  }
}

/** A request that counts. */
export interface AdmittedRequest extends RestRequest {
  admission: Admission
  /** The size of its body. */
  bytes: number
  /** The body as it came, on a route that is passed on. */
  raw?: Uint8Array<ArrayBuffer>
}

/** A parameter in the path of another service. @throws Refusal for one that would lead to another path */
function segmentOf(name: string, text: string): string {
  if (text === '' || text === '.' || text === '..')
    throw new Refusal('InvalidParameter', `${name} is malformed`, { field: name })
  return encodeURIComponent(text)
}

/**
 * Lets the order book that a network follows answer a row that is passed on, for a read at least. It decides
 * too whether a thing that is not stored exists.
 */
export function passingOn(endpoint: Endpoint, services: Services): Endpoint {
  const { row, perform } = endpoint
  const as = row.passedAs ?? (row.isPassedOn ? 'read' : undefined)
  if (as === undefined) return endpoint
  const [method, pattern = ''] = row.on.split(' ') as [PassedRequest['method'], string]
  const passOnOf = (name: string) => {
    const { passOn, network } = tradingOn(services, name)
    return row.isPassedOn === 'without pools' && network.poolFactory !== zeroAddress ? undefined : passOn
  }
  return {
    ...endpoint,
    isPassedOn: (network) => passOnOf(network) !== undefined,
    async perform(request, context, reader) {
      const passOn = passOnOf(request.network)
      if (!passOn) return perform(request, context, reader)
      if (row.isPassedOn === 'unless stored') {
        try {
          return await perform(request, context, reader)
        } catch (fault) {
          if (!(fault instanceof Refusal && fault.code === 'NotFound')) throw fault
        }
      }
      const path = pattern.replace(/:(\w+)/g, (_, name: string) => segmentOf(name, request.path[name] ?? ''))
      const { raw: body } = request
      const asker = context()
      const pass = () => passOn({ as, method, path, ...(body && { body }) }, asker)
      if (as !== 'order') return pass()
      return storing(asker, 'orders', pass, ({ status }) => (status < 300 ? body?.length : undefined))
    },
  }
}

/** @throws when the row's document does not fit the schema */
export function compile(row: Route, family: Family, executor: Executor, services: Services): Endpoint {
  const document = executor.trust(row.run)
  const spelling = compileEnumSpelling(schema, document)
  const constant = new Operation({}, document)
  const charge = chargeOf(constant)
  const operationOf = (request: RestRequest) =>
    new Operation({ variables: spelling.toVariables(row.variables?.(request) ?? {}) }, document)
  return {
    ...patternOf(row.on, family === 'orderBook'),
    family,
    row,
    charge,
    isRepeatable: isRepeatable(row),
    units: executedUnits,
    async perform(request, context) {
      const operation = operationOf(request)
      if (charge.reads > 0) {
        request.admission.reserve({
          charge: chargeOf(operation),
          estimate: () => estimatedUnits(operation.cost?.requested),
          read: readUnits(request.bytes),
        })
      }
      const contextValue = row.restricted ? { ...context(), restricted: true } : context()
      const { data, errors } = await executor.run(operation, contextValue)
      if (errors?.[0]) throw errors[0]
      return toAnswer(row, spelling.toRestSpelling(data), request)
    },
    recall: row.fromMemory && createMemoryResponse(row.fromMemory, services),
    ...(row.stream && { events: compile(row.stream, family, executor, services).events }),
    ...(constant.isSubscription && {
      events: {
        async subscribe(request, context) {
          const results = await executor.subscribe(operationOf(request), context)
          if (!(Symbol.asyncIterator in results)) throw results.errors?.[0]
          const write = (data: ExecutionResult['data']) => {
            const result = spelling.toRestSpelling(data)
            return idLine(row.idOf?.(result)) + eventOf(row.answer(result))
          }
          return eventsOf(results, write, family)
        },
        form: { closing: (fault) => eventOf(errorBodyOf(fault, family), 'error') },
      },
    }),
  }
}

const idLine = (id: unknown) => (typeof id === 'string' ? `id: ${id}\n` : '')

/** Yields events; an error is the last one. */
async function* eventsOf(
  results: AsyncGenerator<ExecutionResult, void>,
  write: (data: ExecutionResult['data']) => string,
  family: Family,
): AsyncGenerator<string, void> {
  for await (const { data, errors } of results) {
    const [error] = errors ?? []
    // A client goes on where the stream says that it can.
    yield error ? idLine(error.extensions.cursor) + eventOf(errorBodyOf(error, family), 'error') : write(data)
    if (errors) return
  }
}

/** Turns the document's result into the row's answer. @throws Refusal NotFound */
function toAnswer(row: Route, result: unknown, request: RestRequest): Produced {
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

/** A row without a document, which defines its own cost. */
interface UndocumentedRow extends RowTraits {
  /** Returns the cost units before the row runs. @throws Refusal for invalid input */
  units(request: RestRequest<string>): number
}

/** Returns the common members of such endpoints. */
function undocumented(row: UndocumentedRow, family: Family) {
  return {
    ...patternOf(row.on, family === 'orderBook'),
    family,
    row,
    charge: oneRead,
    isRepeatable: false,
    recall: undefined,
  }
}

function reserveUnits(row: UndocumentedRow, request: AdmittedRequest): void {
  const reads = Math.max(1, row.units(request as AdmittedRequest & RestRequest<string>))
  request.admission.reserve({ charge: { ...oneRead, reads }, read: readUnits(request.bytes) })
}

/** A path of a REST-only protocol, without a document. Its action is idempotent. */
export interface ActionRoute extends UndocumentedRow {
  /** @returns status and body of the answer @throws Refusal */
  act(request: RestRequest<string>, context: Context): Promise<{ status: number; body: object }>
}

export function compileAction(row: ActionRoute, family: Family): Endpoint {
  return {
    ...undocumented(row, family),
    units: executedUnits,
    async perform(request, context) {
      reserveUnits(row, request)
      const { status, body } = await row.act(request as RestRequest<string>, context())
      const headers = { 'Content-Type': 'application/json', ...row.headers }
      return { status, headers, body: JSON.stringify(body) }
    },
  }
}

/** A path with an event stream and no document: its events are cheap enough for ten thousand streams. */
export interface EventRoute extends UndocumentedRow {
  /** Yields complete events until the context's signal aborts. @throws Refusal */
  events(request: RestRequest<string>, context: Context): Promise<AsyncGenerator<string, void>>
  form: EventForm
}

export function compileEvents(row: EventRoute, family: Family): Endpoint {
  return {
    ...undocumented(row, family),
    units: () => 0,
    perform: () => Promise.reject(new TypeError(`${row.on} is a stream`)),
    events: {
      reserve: (request) => reserveUnits(row, request),
      subscribe: (request, context) => row.events(request as RestRequest<string>, context),
      form: row.form,
    },
  }
}

/** The context of reading a stored row. */
export interface StoredReading
  extends Pick<Services, 'db' | 'maxOrderUids' | 'announcements'>,
    Pick<TradingServices, 'readAccount' | 'readOrders' | 'readTransaction'> {
  ambient: Ambient
  client: string
  /** The network, on routes of the order book. */
  network: Network
  reportAuctions: number
}

/** A path whose body the database writes. It has no document. */
export interface StoredRoute extends RowTraits {
  /** The maximum of items that the body may list, for the estimated cost; 1 if left out. */
  items?(request: RestRequest<string>): number
  /** Reads the body; null for a 404. @throws Refusal for invalid input */
  read(request: RestRequest<string>, reading: StoredReading): Promise<StoredAnswer | null>
}

export type AnyRoute = Route | StoredRoute | EventRoute | ActionRoute

export interface StoredAnswer {
  body: string | Buffer
  headers?: Record<string, string>
}

/** Compiles a row whose body the database writes. */
export function compileStored(row: StoredRoute, family: Family, services: Services): Endpoint {
  const { reportAuctions = defaultReportAuctions } = services
  return {
    ...patternOf(row.on, family === 'orderBook'),
    family,
    row,
    charge: oneRead,
    units: row.isKept ? keptUnits : writtenUnits,
    isRepeatable: false,
    recall: undefined,
    async perform(request, _context, reader) {
      request.admission.reserve({
        charge: oneRead,
        estimate: () => estimatedUnits(row.items?.(request as RestRequest<string>) ?? 1),
        read: readUnits(request.bytes),
      })
      const { maxOrderUids, announcements } = services
      const answer = await row.read(
        request as RestRequest<string>,
        {
          db: readFor(services.db, reader),
          announcements,
          client: reader.client,
          ambient: ambientOf({ ...services, restricted: row.restricted === true }),
          reportAuctions,
          ...(maxOrderUids !== undefined && { maxOrderUids }),
          ...(family === 'orderBook' && pickReading(tradingOn(services, request.network))),
        } as Parameters<StoredRoute['read']>[1],
      )
      if (!answer) throw new Refusal('NotFound', row.missing ?? 'there is no such thing')
      return {
        status: 200,
        headers: { 'Content-Type': 'application/json', ...row.headers, ...answer.headers },
        body: answer.body,
      }
    },
  }
}

function pickReading({ network, readOrders, readAccount, readTransaction }: TradingServices) {
  return {
    network,
    ...(readOrders && { readOrders }),
    ...(readAccount && { readAccount }),
    ...(readTransaction && { readTransaction }),
  }
}
