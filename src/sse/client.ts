import { createClient } from 'graphql-sse'

interface StreamRequest {
  /** The URL of GraphQL over SSE. */
  url: string
  query: string
  variables: Record<string, unknown>
  /** The service sends something, even an empty line, more often than this. */
  silenceMs: number
}

interface StreamResult<Data> {
  data?: Data | null
  errors?: readonly { message: string; extensions?: Record<string, unknown> }[]
}

/**
 * The results of one subscription until the service ends it. The caller resumes it after the last cursor.
 * @throws when the service is away, refuses the request, or is silent for too long
 */
export async function* streamResults<Data>(
  { url, query, variables, silenceMs }: StreamRequest,
  signal: AbortSignal,
): AsyncGenerator<StreamResult<Data>> {
  const silence = new AbortController()
  const timer = setTimeout(() => silence.abort(new Error('the stream was silent for too long')), silenceMs)
  const end = AbortSignal.any([signal, silence.signal])
  const client = createClient({
    url,
    retryAttempts: 0,
    fetchFn: async (input: string, init: RequestInit) => {
      const ends = init.signal ? AbortSignal.any([init.signal, end]) : end
      const response = await fetch(input, { ...init, signal: ends, redirect: 'error' })
      const watch = new TransformStream({
        transform(chunk, controller) {
          timer.refresh()
          controller.enqueue(chunk)
        },
      })
      const { status, statusText, headers } = response
      return new Response(response.body?.pipeThrough(watch) ?? null, { status, statusText, headers })
    },
  })
  const stop = () => client.dispose()
  end.addEventListener('abort', stop, { once: true })
  try {
    for await (const result of client.iterate({ query, variables })) yield result as StreamResult<Data>
    silence.signal.throwIfAborted()
  } finally {
    clearTimeout(timer)
    client.dispose()
  }
}
