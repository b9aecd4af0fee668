/** A piece of work whose time is spent outside of this process. Names are of the program or of its settings: they become labels. */
export interface Work {
  kind: 'statement' | 'rpc' | 'source' | 'call' | 'operation'
  /** What is done, such as `select orders` or `eth_call`. */
  name: string
  /** Who does it: connections of the database, a node, a source. */
  of: string
}

/** Hears of each piece of work that ended. */
export type Measure = (work: Work, milliseconds: number, fault: unknown) => void

/** Follows work through the program as spans of a trace. */
export interface Tracer {
  inSpan<T>(work: Work, run: () => Promise<T>): Promise<T>
  /** Headers that carry the trace to the service that is asked. */
  headers(): Record<string, string>
  /** Begins the trace of a request, or goes on with its client's. */
  request(request: TracedRequest): RequestTrace
  /** Of the request under way. */
  ids(): WorkIds
}

export interface TracedRequest {
  method: string
  /** The W3C header; empty without one. */
  traceparent: string
  /** Whether it comes from a proxy of the operator, which decides what is traced. */
  trusts: boolean
  requestId: string
}

export interface RequestTrace {
  /** Work in it belongs to the request. */
  run<T>(work: () => T): T
  /** @param route the pattern of the path */
  end(route: string, status: number): void
}

export interface WorkIds {
  traceId?: string
  requestId?: string
}

// Of the process, as connections and asynchronous contexts are: a measure passed as an argument would go through every room.
const measures = new Set<Measure>()
let tracer: Tracer | undefined

/** @returns what ends it */
export function measureWork(measure: Measure): () => void {
  measures.add(measure)
  return () => measures.delete(measure)
}

/** @returns what ends it */
export function traceWork(by: Tracer): () => void {
  tracer = by
  return () => {
    if (tracer === by) tracer = undefined
  }
}

/**
 * Reports work once it has ended.
 * @param faultOf of a result that is a failure
 */
export function observed<T>(work: Work, run: () => Promise<T>, faultOf?: (result: T) => unknown): Promise<T> {
  const measured = measures.size === 0 ? run : () => timed(work, run, faultOf)
  return tracer ? tracer.inSpan(work, measured) : measured()
}

async function timed<T>(
  work: Work,
  run: () => Promise<T>,
  faultOf: ((result: T) => unknown) | undefined,
): Promise<T> {
  const started = performance.now()
  let fault: unknown
  try {
    const result = await run()
    fault = faultOf?.(result)
    return result
  } catch (thrown) {
    fault = thrown ?? new Error('nothing was thrown')
    throw thrown
  } finally {
    const milliseconds = performance.now() - started
    for (const measure of measures) measure(work, milliseconds, fault)
  }
}

/** A service outside that is asked with a breaker. */
export interface Source {
  name: string
  /** Of the breaker: `closed` while it is asked. */
  state(): string
}

const sourceListeners = new Set<(source: Source) => void>()

/** Hears of the sources that are made from now on. @returns what ends it */
export function followSources(listener: (source: Source) => void): () => void {
  sourceListeners.add(listener)
  return () => sourceListeners.delete(listener)
}

export function announceSource(source: Source): void {
  for (const listener of sourceListeners) listener(source)
}

const noHeaders: Record<string, string> = {}

export function traceHeaders(): Record<string, string> {
  return tracer?.headers() ?? noHeaders
}

/** Undefined where nothing is traced. */
export function traceRequest(request: () => TracedRequest): RequestTrace | undefined {
  return tracer?.request(request())
}

const noIds: WorkIds = {}

/** Empty where nothing is traced. */
export function workIds(): WorkIds {
  return tracer?.ids() ?? noIds
}
