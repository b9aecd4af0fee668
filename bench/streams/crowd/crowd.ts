import { setTimeout as pause } from 'node:timers/promises'
import { now } from '../clock.ts'
import { numberIn, streamDocument } from '../event.ts'
import { createSamples } from './samples.ts'
import { type OpenStream, openStream } from './stream.ts'

/** One reader: the expected numbers, and the initial cursor. */
export interface Reader {
  account: string
  next: number
  stride: number
  after: string | null
}

export interface CrowdOptions {
  /** Servers, of which each connection takes one at random. */
  ports: readonly number[]
  from: string
  path: string
  /** The subscription; by default `streamDocument`. */
  document?: string | undefined
  readers: readonly Reader[]
  /** The number of connections that are opened at the same time. */
  atOnce: number
  /** The way to resume: the argument `after`, or `Last-Event-ID` at the first address, as in browsers. */
  resume: 'none' | 'after' | 'id'
  /** Random cuts per second, after which readers resume. */
  cutsPerSecond?: number
}

export interface Standing {
  open: number
  delivered: number
  lost: number
  repeated: number
  /** The time when the last event arrived. */
  lastAt: number
  /** Texts that are not events, and reasons for which connections ended. */
  said: Record<string, number>
}

interface Member extends Reader {
  stream: OpenStream | undefined
  cursor: string | null
  opened: (() => void) | undefined
}

const cursorMark = Buffer.from('"cursor":"')
const idMark = Buffer.from('id: ')
const [maxSayingLength, maxSayings] = [300, 50]
const openTimeoutMs = 60_000

export function createCrowd(options: CrowdOptions) {
  const { ports, from, path, document = streamDocument, resume, cutsPerSecond } = options
  const members = options.readers.map(
    (reader): Member => ({ ...reader, stream: undefined, cursor: reader.after, opened: undefined }),
  )
  const samples = createSamples()
  let [open, delivered, lost, repeated, lastAt] = [0, 0, 0, 0, 0]
  let said: Record<string, number> = {}
  let isClosing = false

  function note(text: string): void {
    // Cursors and ports differ.
    const saying = text.slice(0, maxSayingLength).replace(/\d{2,}/g, '#')
    if (saying in said || Object.keys(said).length < maxSayings) said[saying] = (said[saying] ?? 0) + 1
  }

  function hear(member: Member, text: Buffer, start: number, end: number, at: number): void {
    const number = numberIn(text, start, end)
    if (number < 0) {
      const other = text.toString('latin1', start, end)
      if (/^(event|data): ?./m.test(other)) note(other.replace(/^[\s\da-f]*\r\n/i, ''))
      return
    }
    if (resume !== 'none') {
      const mark = resume === 'after' ? cursorMark : idMark
      const place = text.indexOf(mark, start)
      if (place >= 0 && place < end) {
        const from = place + mark.length
        member.cursor = text.toString('latin1', from, text.indexOf(resume === 'after' ? 0x22 : 0x0a, from))
      } else note('an event without a cursor')
    }
    if (number < member.next) {
      repeated++
      return
    }
    delivered++
    lost += (number - member.next) / member.stride
    member.next = number + member.stride
    lastAt = at
    samples.add(number, at)
  }

  function requestOf({ account, after, cursor }: Member): string {
    const variables = { account, after: resume === 'after' ? cursor : after }
    const query = `query=${encodeURIComponent(document)}&variables=${encodeURIComponent(JSON.stringify(variables))}`
    const id = resume === 'id' && cursor !== after ? `Last-Event-ID: ${cursor}\r\n` : ''
    return `GET ${path}?${query} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n${id}\r\n`
  }

  function connect(member: Member): Promise<void> {
    const port = ports[Math.floor(Math.random() * ports.length)] ?? 0
    return new Promise((resolve) => {
      let isOpen = false
      const stream = openStream(
        { port, from, request: requestOf(member) },
        {
          opened() {
            isOpen = true
            open++
            resolve()
          },
          hear: (text, start, end, at) => {
            if (member.stream === stream) hear(member, text, start, end, at)
          },
          ended(fault) {
            if (isOpen) open--
            if (member.stream === stream) {
              member.stream = undefined
              if (!isClosing) note(fault ? `ended: ${fault}` : 'ended')
              if (!isClosing && cutsPerSecond !== undefined) comeBack(member)
            }
            resolve()
          },
        },
      )
      member.stream = stream
    })
  }

  function comeBack(member: Member): void {
    setTimeout(() => !isClosing && void connect(member), 20 + Math.random() * 200)
  }

  function cutOne(): void {
    const member = members[Math.floor(Math.random() * members.length)]
    const stream = member?.stream
    if (!member || !stream) return
    member.stream = undefined
    stream.close()
    comeBack(member)
  }

  const cutting = cutsPerSecond ? setInterval(cutOne, 1_000 / cutsPerSecond) : undefined

  async function openAll(): Promise<number> {
    isClosing = false
    const started = now()
    let next = 0
    const opening = Array.from({ length: options.atOnce }, async () => {
      for (let member = members[next++]; member; member = members[next++]) {
        if (!member.stream) await connect(member)
      }
    })
    await Promise.race([Promise.all(opening), pause(openTimeoutMs, undefined, { ref: false })])
    return now() - started
  }

  return {
    /** @returns milliseconds until all were answered */
    open: openAll,
    close(): void {
      isClosing = true
      clearInterval(cutting)
      for (const { stream } of members) stream?.close()
    },
    stall: () => members.forEach(({ stream }) => void stream?.pause()),
    unstall: () => members.forEach(({ stream }) => void stream?.resume()),
    /** Returns the number of events that readers lack, up to and including `last`. */
    missing: (last: number): number =>
      members.reduce((sum, { next, stride }) => sum + Math.max(0, Math.floor((last - next) / stride) + 1), 0),
    standing: (): Standing => ({ open, delivered, lost, repeated, lastAt, said }),
    since: samples.since,
    forget(): void {
      samples.clear()
      delivered = 0
      said = {}
    },
  }
}

export type Crowd = ReturnType<typeof createCrowd>
