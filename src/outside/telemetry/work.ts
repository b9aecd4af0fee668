/**
 * A piece of work whose time is spent outside this process. Names come from the program or its settings,
 * because they become labels.
 */
export interface Work {
  kind: 'statement' | 'rpc' | 'source' | 'call' | 'operation'
  /** The work, such as `select orders` or `eth_call`. */
  name: string
  /** The worker: connections of the database, a node, a source. */
  of: string
}

/** Receives each piece of work that ended. */
type Measure = (work: Work, milliseconds: number, fault: unknown) => void

/** Follows work through the program as spans of a trace. */
export interface Tracer {
  inSpan<T>(work: Work, run: () => Promise<T>): Promise<T>
  /** Returns headers that carry the trace to the called service. */
  headers(): Record<string, string>
  /** Begins the trace of a request, or continues its client's. */
  request(request: TracedRequest): RequestTrace
  /** Returns the ids of the current request. */
  ids(): WorkIds
}

export interface TracedRequest {
  method: string
  /** The W3C header; empty without one. */
  traceparent: string
  /** True if the request comes from a proxy of the operator, which decides on tracing. */
  trusts: boolean
  requestId: string
}

export interface RequestTrace {
  id: string
  /** Runs work that belongs to the request. */
  run<T>(work: () => T): T
  /** Ends the trace. @param route the pattern of the path */
  end(route: string, status: number): void
}

export interface WorkIds {
  traceId?: string
  requestId?: string
}

// The measures belong to the process, like connections and asynchronous contexts: as an argument they would
// pass through every module.
const measures = new Set<Measure>()
let tracer: Tracer | undefined

/** Adds a measure. @returns a function that removes it */
export function measureWork(measure: Measure): () => void {
  measures.add(measure)
  return () => measures.delete(measure)
}

/** Sets the tracer. @returns a function that removes it */
export function traceWork(by: Tracer): () => void {
  tracer = by
  return () => {
    if (tracer === by) tracer = undefined
  }
}

/**
 * Reports work once it has ended.
 * @param faultOf returns the fault of a result that is a failure
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

/** An outside service that is called through a breaker. */
export interface Source {
  name: string
  /** Returns the state of the breaker; `closed` while the service is called. */
  state(): string
}

const sourceListeners = new Set<(source: Source) => void>()

/** Adds a listener for sources that are created from now on. @returns a function that removes it */
export function onSourceAnnounced(listener: (source: Source) => void): () => void {
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

/** Begins a request's trace; undefined if tracing is off. */
export function traceRequest(request: () => TracedRequest): RequestTrace | undefined {
  return tracer?.request(request())
}

const noIds: WorkIds = {}

/** The ids of the current work; empty if tracing is off. */
export function workIds(): WorkIds {
  return tracer?.ids() ?? noIds
}
