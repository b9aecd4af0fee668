import { setMaxListeners } from 'node:events'
import { Agent, request as httpRequest } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

/** A request of a test or of a bench, and what its answer has to look like. */
export interface Sent {
  path: string
  body?: unknown
  answer: RegExp
  /** 200 if left out. */
  status?: number
}

/** An exchange, by `performance.now()`. */
interface Exchanged {
  from: number
  to: number
  /** What is wrong with the answer. */
  fault?: string
  text: string
}

type Sender = (sent: Sent) => Promise<Exchanged>

/** Keeps connections, as clients do. */
export function createSender(url: string): Sender & Disposable {
  const agent = new Agent({ keepAlive: true, scheduling: 'fifo' })
  const send: Sender = ({ path, body, answer, status = 200 }) =>
    new Promise((resolve) => {
      const from = performance.now()
      const end = (text: string, fault?: string) =>
        resolve({ from, to: performance.now(), text, ...(fault !== undefined && { fault }) })
      const headers = { 'content-type': 'application/json' }
      const req = httpRequest(`${url}${path}`, { agent, method: body ? 'POST' : 'GET', headers }, (res) => {
        let text = ''
        res.setEncoding('utf8').on('data', (part: string) => {
          text += part
        })
        res.on('close', () => {
          if (!res.complete) end(text, `${path}: cut`)
          else if (res.statusCode === status && answer.test(text)) end(text)
          else end(text, `${res.statusCode} ${text}`)
        })
      })
      req.on('error', (error) => end('', `${path}: ${error.message}`))
      req.end(body && JSON.stringify(body))
    })
  return Object.assign(send, { [Symbol.dispose]: () => agent.destroy() })
}

/** Sends a request each time that one is due, without waiting for answers, until it is stopped. */
export function sendSteadily(send: Sender, rate: number, next: (place: number) => Sent) {
  const exchanged: Exchanged[] = []
  const underWay = new Set<Promise<void>>()
  let sent = 0
  const started = performance.now()
  const sendDue = () => {
    for (const due = ((performance.now() - started) * rate) / 1_000; sent < due; sent++) {
      const answered = send(next(sent)).then((one) => {
        exchanged.push({ ...one, text: '' })
      })
      underWay.add(answered)
      void answered.then(() => underWay.delete(answered))
    }
  }
  const timer = setInterval(sendDue, 10)
  return async () => {
    clearInterval(timer)
    await Promise.all(underWay)
    return exchanged
  }
}

interface Follower {
  /** Places of the feed, as they came. */
  places: number[]
  /** Answers that were no stream, by `performance.now()`. */
  faults: { at: number; fault: string }[]
  /** Of ended streams; `cut` where none was given. */
  ends: Map<string, number>
  stop(): Promise<void>
}

/** An EventSource: comes back after the time that the service asks for, with the last id. */
export function followSteadily(address: string): Follower {
  const places: number[] = []
  const faults: Follower['faults'] = []
  const ends: Follower['ends'] = new Map()
  const stopping = new AbortController()
  setMaxListeners(0, stopping.signal)
  const { signal } = stopping
  let retryMs = 1_000

  /** @returns why it ended */
  const once = () =>
    new Promise<string>((resolve) => {
      const last = places.at(-1)
      const headers = { accept: 'text/event-stream', ...(last && { 'last-event-id': `${last}` }) }
      const refuse = (fault: string) => {
        if (!signal.aborted) faults.push({ at: performance.now(), fault })
        resolve('refused')
      }
      const req = httpRequest(address, { agent: false, headers, signal }, (res) => {
        let rest = ''
        let reason = 'cut'
        res.setEncoding('utf8').on('data', (part: string) => {
          const blocks = (rest + part).split('\n\n')
          rest = blocks.pop() ?? ''
          for (const block of blocks) {
            const id = /^id: ?(\d+)$/m.exec(block)?.[1]
            const retry = /^retry: ?(\d+)$/m.exec(block)?.[1]
            if (retry !== undefined) retryMs = Number(retry)
            const ended = /"reason":"(\w+)"/.exec(block)?.[1]
            if (ended !== undefined && block.includes('"errors"')) reason = ended
            // The first lines of a stream have its place without an event.
            else if (id !== undefined && /^data:/m.test(block)) places.push(Number(id))
          }
        })
        res.on('error', () => {})
        res.on('close', () => {
          if (res.statusCode === 200) resolve(reason)
          else refuse(`${res.statusCode} ${rest}`)
        })
      })
      req.on('error', (error) => refuse(error.message))
      req.end()
    })

  const followed = (async () => {
    while (!signal.aborted) {
      const reason = await once()
      if (signal.aborted) break
      ends.set(reason, (ends.get(reason) ?? 0) + 1)
      await pause(retryMs, undefined, { signal }).catch(() => {})
    }
  })()
  return {
    places,
    faults,
    ends,
    async stop() {
      stopping.abort()
      await followed
    },
  }
}
