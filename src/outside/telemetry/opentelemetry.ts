import {
  type Context,
  context,
  createContextKey,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-node'
import { type RequestTrace, type Tracer, traceWork, type Work } from './work.ts'

interface TracingOptions {
  /** The URL that receives spans as OTLP over HTTP. */
  url: string
  headers: Record<string, string>
  /** The share of requests that are traced. */
  sampled: number
  version: string
  random: () => number
}

/** The number of spans that may wait to be sent; further ones are dropped. */
const maxWaiting = 4_096
const sendEveryMs = 2_000
const sendTimeoutMs = 5_000

/**
 * Starts tracing of the process. This module is loaded only if a setting requires it.
 * @returns a function that sends the rest, and ends it
 */
export function startTracing({
  url,
  headers,
  sampled,
  version,
  random,
}: TracingOptions): () => Promise<void> {
  const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis: sendTimeoutMs })
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'tradegraph', 'service.version': version }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampled) }),
    spanProcessors: [
      new BatchSpanProcessor(exporter, {
        maxQueueSize: maxWaiting,
        scheduledDelayMillis: sendEveryMs,
        exportTimeoutMillis: sendTimeoutMs,
      }),
    ],
  })
  // This registers the asynchronous context, and the W3C headers.
  provider.register()
  const end = traceWork(createTracer(provider, () => random() < sampled))
  return async () => {
    end()
    await provider.shutdown().catch(() => undefined)
    trace.disable()
    context.disable()
    propagation.disable()
  }
}

const requestIdKey = createContextKey('request id')

/**
 * Creates a tracer.
 * @param draws decides whether a request that no trusted proxy traces is traced: its client must not decide
 *   it
 */
function createTracer(provider: NodeTracerProvider, draws: () => boolean): Tracer {
  const tracer = provider.getTracer('tradegraph')

  function parentOf(traceparent: string, trusts: boolean): Context {
    const parent = propagation.extract(ROOT_CONTEXT, { traceparent })
    const given = trace.getSpanContext(parent)
    if (!given || trusts) return parent
    const traceFlags = draws() ? TraceFlags.SAMPLED : TraceFlags.NONE
    return trace.setSpanContext(parent, { ...given, traceFlags })
  }

  function requestTrace(method: string, span: Span, inside: Context): RequestTrace {
    return {
      id: span.spanContext().traceId,
      run: (work) => context.with(inside, work),
      end(route, status) {
        span.updateName(`${method} ${route}`)
        span.setAttributes({ 'http.route': route, 'http.response.status_code': status })
        if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
        span.end()
      },
    }
  }

  return {
    request({ method, traceparent, trusts, requestId }) {
      const parent = parentOf(traceparent, trusts).setValue(requestIdKey, requestId)
      const attributes = { 'http.request.method': method, 'tradegraph.request_id': requestId }
      const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent)
      return requestTrace(method, span, trace.setSpan(parent, span))
    },
    async inSpan(work, run) {
      // Loops have no trace, because each of their statements would become one.
      if (!trace.getActiveSpan()?.isRecording()) return run()
      const span = tracer.startSpan(nameOf(work), {
        kind: work.kind === 'operation' ? SpanKind.INTERNAL : SpanKind.CLIENT,
        attributes: attributesOf(work),
      })
      try {
        return await context.with(trace.setSpan(context.active(), span), run)
      } catch (fault) {
        // The message may contain data that a trace must not have; its name is enough.
        span.setAttribute('error.type', fault instanceof Error ? fault.name : 'unknown')
        span.setStatus({ code: SpanStatusCode.ERROR })
        throw fault
      } finally {
        span.end()
      }
    },
    headers() {
      const headers: Record<string, string> = {}
      propagation.inject(context.active(), headers)
      return headers
    },
    ids() {
      const span = trace.getActiveSpan()?.spanContext()
      if (!span) return {}
      const requestId = context.active().getValue(requestIdKey) as string | undefined
      return { traceId: span.traceId, ...(requestId !== undefined && { requestId }) }
    },
  }
}

function nameOf({ kind, name, of }: Work): string {
  return kind === 'operation' ? of : kind === 'statement' ? name : `${name} ${of}`
}

function attributesOf({ kind, name, of }: Work): Record<string, string> {
  switch (kind) {
    case 'statement':
      return { 'db.system.name': 'postgresql', 'db.query.summary': name, 'tradegraph.pool': of }
    case 'rpc':
      return { 'rpc.system': 'jsonrpc', 'rpc.method': name, 'peer.service': of }
    case 'operation':
      return { 'graphql.operation.name': name, 'tradegraph.field': of }
    default:
      return { 'peer.service': of }
  }
}
