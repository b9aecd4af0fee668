// biome-ignore lint/suspicious/noExplicitAny: any JSON
type Json = any

export interface BalanceEvent {
  event: string
  id: string | undefined
  data: Json
}

/** An event stream as it arrives. Comments and pings are left out. */
export async function openEvents(url: string, headers: Record<string, string> = {}, body?: object) {
  const gone = new AbortController()
  const posted = body && {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
  const response = await fetch(url, { headers, ...posted, signal: gone.signal })
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
  const events: BalanceEvent[] = []
  let [retry, lastId] = [0, '']

  function hear(text: string): void {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1]
    retry = Number(field('retry') ?? retry)
    const [event = 'message', data, id] = [field('event'), field('data'), field('id')]
    lastId = id ?? lastId
    if (data !== undefined && event !== 'ping') events.push({ event, id, data: JSON.parse(data) })
  }

  const reading = (async () => {
    let rest = ''
    const decoder = new TextDecoder()
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n\n')
      rest = parts.pop() ?? ''
      for (const part of parts) hear(part)
    }
  })().catch(() => undefined)

  return {
    headers: response.headers,
    events,
    retry: () => retry,
    lastId: () => lastId,
    async [Symbol.asyncDispose]() {
      gone.abort()
      await reading
    },
  }
}
