import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { eventually } from '../setup/eventually.ts'

export interface StreamEvent {
  event: string | undefined
  id: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: JSON of a response
  data: any
}

export interface EventReader extends AsyncDisposable {
  status: number
  headers: IncomingHttpHeaders
  /** All that has arrived. */
  text(): string
  events(): StreamEvent[]
  isClosed(): boolean
  /** Waits for this many events. */
  first(count: number): Promise<StreamEvent[]>
  pause(): void
  resume(): void
}

interface Opening {
  headers?: Record<string, string>
  body?: unknown
}

/** Reads an event stream as it comes, without a client library. */
export async function openEvents(url: string, { headers = {}, body }: Opening = {}): Promise<EventReader> {
  let outgoing: ClientRequest | undefined
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST'
    outgoing = request(
      url,
      { method, headers: { accept: 'text/event-stream', ...type, ...headers } },
      resolve,
    )
    outgoing.on('error', reject)
    outgoing.end(body === undefined ? undefined : JSON.stringify(body))
  })
  let text = ''
  let isClosed = false
  response.setEncoding('utf8')
  response.on('data', (part: string) => {
    text += part
  })
  response.on('close', () => {
    isClosed = true
  })
  response.on('error', () => {})
  const events = () => parse(text)
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: () => text,
    events,
    isClosed: () => isClosed,
    first: (count) => eventually(`${count} events`, () => events().length >= count && events()),
    pause: () => void response.pause(),
    resume: () => void response.resume(),
    async [Symbol.asyncDispose]() {
      outgoing?.destroy()
    },
  }
}

function parse(text: string): StreamEvent[] {
  const whole = text.slice(0, text.lastIndexOf('\n\n') + 2)
  return whole.split('\n\n').flatMap((block) => {
    const lines = block.split('\n')
    const fieldOf = (field: string) =>
      lines
        .find((line) => line.startsWith(`${field}:`))
        ?.slice(field.length + 1)
        .trim()
    const data = fieldOf('data')
    if (data === undefined) return []
    return [{ event: fieldOf('event'), id: fieldOf('id'), data: data === '' ? null : JSON.parse(data) }]
  })
}
