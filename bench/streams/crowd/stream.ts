import { connect } from 'node:net'
import { now } from '../clock.ts'

export interface StreamListener {
  opened(): void
  /** Receives one event, between two places of the text, and its arrival time. */
  hear(text: Buffer, from: number, to: number, at: number): void
  /** Receives the end; `fault` is a refusing server's answer, or the error of a broken connection. */
  ended(fault: string | undefined): void
}

export interface OpenStream {
  pause(): void
  resume(): void
  close(): void
}

export interface Target {
  port: number
  from: string
  request: string
}

const received = Buffer.allocUnsafeSlow(256 * 1024)
const eventEnd = Buffer.from('\n\n')
const headEnd = Buffer.from('\r\n\r\n')
const lastChunk = Buffer.from('0\r\n\r\n')

/**
 * Opens an event stream over a bare socket. All sockets of the process read into one buffer. Framing of
 * chunks is skipped: an event ends with an empty line, which no frame has.
 */
export function openStream({ port, from, request }: Target, listener: StreamListener): OpenStream {
  let rest: Buffer | undefined
  let isOpen = false
  let fault: string | undefined

  function take(data: Buffer): void {
    const text = rest ? Buffer.concat([rest, data]) : data
    let at = 0
    if (!isOpen) {
      const end = text.indexOf(headEnd)
      if (end >= 0 && text.toString('latin1', 9, 12) === '200') {
        isOpen = true
        at = end + headEnd.length
        listener.opened()
      } else {
        if (end >= 0) {
          fault = text.toString('latin1', 9, 400)
          socket.destroy()
        }
        rest = Buffer.from(text)
        return
      }
    }
    const time = now()
    for (let end = text.indexOf(eventEnd, at); end >= 0; end = text.indexOf(eventEnd, at)) {
      listener.hear(text, at, end, time)
      at = end + eventEnd.length
    }
    const left = text.length - at
    if (left >= lastChunk.length && text.subarray(-lastChunk.length).equals(lastChunk)) socket.destroy()
    // The rest after the last event is often only the end of its chunk.
    rest = left > 2 ? Buffer.from(text.subarray(at)) : undefined
  }

  const socket = connect({
    port,
    host: '127.0.0.1',
    localAddress: from,
    onread: {
      buffer: received,
      callback(length) {
        take(received.subarray(0, length))
        return true
      },
    },
  })
  socket.on('connect', () => socket.write(request, 'latin1'))
  socket.on('error', (error) => {
    fault ??= error.message
  })
  socket.on('close', () => listener.ended(fault))
  return {
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    close: () => socket.destroy(),
  }
}
