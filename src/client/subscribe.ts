import { createClient as createStream } from 'graphql-sse'
import { backOffMs, pause } from './back-off.ts'
import type { Client, Connection } from './client.ts'
import { type AnyDocument, type TypedDocument, textOf } from './document.ts'
import { errorOf, type GraphqlResult, resultOf, TradegraphError, toError } from './error.ts'
import { type InForm, type Input, type ScalarForm, toJson } from './scalars.ts'

export interface SubscribeOptions {
  /** The cursor to continue behind, or `earliest`. The stream starts now without it. */
  after?: string
  /** Ends the stream: the loop over it throws the reason of the signal. */
  signal?: AbortSignal
  /** Called with the cursor of an event when the loop has handled it: store it to continue there later. */
  onCursor?: (cursor: string) => void
  /** Called when the stream is open, also after a lost connection. */
  onConnect?: () => void
  /** Called when the connection is lost. The stream connects again by itself. */
  onDisconnect?: (error: TradegraphError) => void
}

/** The service sends something, even a comment, every 12 seconds. */
const silenceMs = 45_000

const lineFeed = 10

/** Results that are held for a loop that is slow. */
const maxWaiting = 64

/**
 * Follows a subscription across disconnects. Streams of events (`notifications`, `orderEvents`, `auctions`)
 * continue behind the last event: none is missing or repeated. Streams of states send the whole state again.
 * @throws TradegraphError when the service refuses, and with the code `FeedGap` and the reason `GAP` when
 *   entries behind the cursor were removed: `cursor` is then the first kept place
 */
export async function* subscribe<Result, Variables, Form extends ScalarForm>(
  client: Client<Form>,
  document: AnyDocument<Result, Variables>,
  variables: Input<Omit<Variables, 'after'>>,
  { after, signal, onCursor, onConnect, onDisconnect }: SubscribeOptions = {},
): AsyncGenerator<InForm<Form, Result>, void, undefined> {
  const { connection } = client
  const query = textOf(document)
  let cursor = after
  // The place of a stream that loses its connection before its first event.
  let start: string | undefined
  for (let failures = 0; ; failures++) {
    try {
      signal?.throwIfAborted()
      if (cursor === undefined && isFeed(query) && !hasSnapshot(query))
        start ??= await newestPlace(client, signal)
      const from = cursor ?? (failures === 0 ? undefined : start)
      const onStart = (place: string) => {
        start ??= place
      }
      for await (const result of openStream(connection, {
        query,
        variables,
        from,
        signal,
        onConnect,
        onStart,
      })) {
        signal?.throwIfAborted()
        const error = errorOf(result)
        if (error) throw error
        failures = 0
        const next = cursorOf(result.data)
        if (next === undefined && isFeed(query))
          throw new TypeError('the document must select `cursor`, behind which the stream continues')
        cursor = next ?? cursor
        yield connection.read(result.data, document) as InForm<Form, Result>
        if (next !== undefined) onCursor?.(next)
      }
      return
    } catch (fault) {
      if (!(fault instanceof TradegraphError) || !fault.retryable) throw fault
      onDisconnect?.(fault)
      await pause(backOffMs(failures, fault), signal)
    }
  }
}

/** Reports whether the events of a subscription have cursors. */
const isFeed = (query: string) =>
  /\{\s*(?:\w+\s*:\s*)?(?:notifications|orderEvents|auctions|bookEvents|trades)\b/.test(query)

/** Reports whether a stream begins with the orders as they are, also when it is opened again. */
const hasSnapshot = (query: string) => /\bsnapshot\s*:/.test(query)

/**
 * The newest place of all feeds, which share a sequence. Undefined where notifications are disabled: then the
 * first lines of the stream have it.
 */
async function newestPlace(client: Client, signal: AbortSignal | undefined): Promise<string | undefined> {
  const body = `{notifications(account:"0x${'0'.repeat(40)}",last:1){cursor}}`
  const document: TypedDocument<{ notifications: { cursor: string } }, object> = {
    kind: 'Document',
    definitions: [],
    loc: { source: { body } },
  }
  try {
    return (await client.query(document, {}, signal && { signal })).notifications.cursor
  } catch (fault) {
    if (fault instanceof TradegraphError && fault.code === 'FeatureDisabled') return undefined
    throw fault
  }
}

function cursorOf(data: unknown): string | undefined {
  const [entry] = Object.values((data ?? {}) as Record<string, { cursor?: unknown } | null>)
  return typeof entry?.cursor === 'string' ? entry.cursor : undefined
}

interface StreamRequest {
  query: string
  variables: unknown
  from: string | undefined
  signal: AbortSignal | undefined
  onConnect: (() => void) | undefined
  /** Called with the place where the stream starts, if its first lines have it. */
  onStart(place: string): void
}

/**
 * The results of one connection. It returns after `complete`.
 * @throws TradegraphError when the service refuses, and when the connection is lost
 */
async function* openStream(
  connection: Connection,
  { query, variables, from, signal, onConnect, onStart }: StreamRequest,
): AsyncGenerator<GraphqlResult, void, undefined> {
  const { streamUrl } = connection
  const end = new AbortController()
  const lose = (message: string) =>
    end.abort(new TradegraphError('Unavailable', message, { retryable: true }))
  /** Ends the stream with a fault that the library would replace by its own. */
  const endWith = (fault: unknown): never => {
    end.abort(fault)
    throw fault
  }
  const silence = timer(silenceMs, () => lose('the stream was silent for too long'))
  const waiting = gate(maxWaiting)
  let isComplete = false

  const stream = createStream({
    url: from === undefined ? streamUrl : `${streamUrl}?lastEventId=${encodeURIComponent(from)}`,
    headers: () => connection.headers().catch(endWith),
    // This module continues at the cursor: the library would repeat the first request.
    retryAttempts: 0,
    async fetchFn(input: string, init: RequestInit) {
      const ends = init.signal ? AbortSignal.any([init.signal, end.signal]) : end.signal
      const response = await connection.fetch(input, { ...init, signal: ends })
      const isStream = response.headers.get('content-type')?.includes('text/event-stream')
      if (!response.ok || !response.body || !isStream) {
        const result = await resultOf(response).catch(endWith)
        end.abort(errorOf(result, response) ?? new TradegraphError('InvalidQuery', 'the answer is no stream'))
      } else {
        try {
          onConnect?.()
        } catch (fault) {
          endWith(fault)
        }
      }
      return { ok: response.ok, body: response.body && chunksOf(response.body) }
    },
  })

  /** Reads a body as its results are taken. A transform would drop what it holds when the body fails. */
  async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
    const reader = body.getReader()
    let isFirst = true
    try {
      for (;;) {
        await waiting.open()
        silence.start()
        const { done, value } = await reader.read()
        silence.stop()
        if (done) break
        if (isFirst) {
          const [, place] = /^retry: \d+\nid: (\d+)\n/.exec(new TextDecoder().decode(value)) ?? []
          if (place !== undefined) onStart(place)
          isFirst = false
        }
        // The library holds complete events back while a chunk ends within a line.
        const whole = value.lastIndexOf(lineFeed) + 1
        if (whole > 0) yield value.subarray(0, whole)
        if (whole < value.length) yield value.subarray(whole)
      }
    } finally {
      reader.cancel().catch(() => {})
    }
    // The library waits for ever when a connection ends without an error between two of its reads.
    setTimeout(() => lose('the connection has ended'))
  }
  const stop = () => stream.dispose()
  const abort = () => end.abort(signal?.reason)
  end.signal.addEventListener('abort', stop, { once: true })
  signal?.addEventListener('abort', abort, { once: true })
  const results = stream.iterate(
    { query, variables: JSON.parse(toJson(variables)) },
    {
      message({ event }) {
        if (event === 'next') waiting.enter()
        isComplete ||= event === 'complete'
      },
    },
  )
  try {
    silence.start()
    for await (const result of results) {
      yield result as GraphqlResult
      waiting.leave()
    }
    if (!isComplete) throw new Error('the connection has ended')
  } catch (fault) {
    throw end.signal.aborted ? end.signal.reason : toError(fault, signal)
  } finally {
    silence.stop()
    waiting.close()
    signal?.removeEventListener('abort', abort)
    stream.dispose()
  }
}

function timer(ms: number, onEnd: () => void) {
  let running: ReturnType<typeof setTimeout> | undefined
  const stop = () => clearTimeout(running)
  return {
    stop,
    start() {
      stop()
      running = setTimeout(onEnd, ms)
    },
  }
}

/** Holds up a reader while too many wait behind it. */
function gate(max: number) {
  let count = 0
  let opened: (() => void) | undefined
  const wake = () => {
    opened?.()
    opened = undefined
  }
  return {
    enter: () => void count++,
    leave() {
      count--
      if (count < max) wake()
    },
    async open(): Promise<void> {
      if (count >= max) await new Promise<void>((resolve) => (opened = resolve))
    },
    close() {
      count = Number.NEGATIVE_INFINITY
      wake()
    },
  }
}
