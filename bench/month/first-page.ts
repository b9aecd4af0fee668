import { median } from '../load/turn.ts'
import { toTable } from '../report.ts'

/** The response to a request for the report without arguments. */
interface FirstPage {
  what: string
  status: number
  bytes: number
  /** The time of the first request. */
  coldMs: number
  /** The median time of later, sequential requests. */
  p50Ms: number
  maxMs: number
  /** The fault of a failed answer. */
  fault: string | undefined
}

const repeats = 20
/** The limit above which a system gets no further requests. */
const timeoutMs = 2_000
const deadlineMs = 60_000

/** @param body of a POST request */
export async function timeFirstPage(
  what: string,
  port: number,
  path: string,
  body?: object,
): Promise<FirstPage> {
  const timed = async () => {
    const started = performance.now()
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      signal: AbortSignal.timeout(deadlineMs),
      ...(body && {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    })
    const text = await response.text()
    return { status: response.status, text, ms: performance.now() - started }
  }
  const { status, text, ms } = await timed()
  const times: number[] = []
  for (let repeat = 0; repeat < repeats && ms < timeoutMs; repeat++) times.push((await timed()).ms)
  return {
    what,
    status,
    bytes: Buffer.byteLength(text),
    coldMs: ms,
    p50Ms: times.length ? median(times) : ms,
    maxMs: Math.max(ms, ...times),
    fault: status === 200 && !text.includes('"errors"') ? undefined : text.slice(0, 300),
  }
}

export function formatPages(pages: readonly FirstPage[]): string {
  const head = ['first page', 'status', 'bytes', 'cold ms', 'p50 ms', 'max ms', 'fault']
  const lines = pages.map(({ what, status, bytes, coldMs, p50Ms, maxMs, fault }) => [
    what,
    String(status),
    String(bytes),
    coldMs.toFixed(1),
    p50Ms.toFixed(1),
    maxMs.toFixed(1),
    fault ?? '',
  ])
  return toTable(head, lines)
}
