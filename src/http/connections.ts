import type { ServerResponse } from 'node:http'
import type { Duplex, Writable } from 'node:stream'
import { derivedOnce } from '../domain/derived.ts'

/** The time limits for clients to receive an answer that their connection does not take at once. */
export interface ResponseTimes {
  answerMs: number
  /** The rate at which a longer answer gets more time. */
  answerBytesPerMs: number
}

export interface ResponseDeadline {
  /** Limits a complete answer. An answer that has left the process already costs nothing. */
  (res: ServerResponse): void
  /**
   * Limits the data written to a connection that takes no more requests, and the wait for its client to close
   * it.
   */
  closing(socket: Writable): void
}

/**
 * Closes the connections of clients that do not receive their answers, which would otherwise stay in memory
 * forever. The whole answer has a deadline, because a client that takes a byte from time to time never stands
 * still.
 */
export function createResponseDeadline(
  { answerMs, answerBytesPerMs }: ResponseTimes,
  onCut: () => void,
): ResponseDeadline {
  const limit = (written: Writable | ServerResponse, bytes: number) => {
    const timer = setTimeout(
      () => {
        if (!written.writableFinished) onCut()
        written.destroy()
      },
      answerMs + bytes / answerBytesPerMs,
    )
    written.once('close', () => clearTimeout(timer))
  }
  const limitAnswer = (res: ServerResponse) => {
    const bytes = res.writableLength
    if (bytes === 0 || res.destroyed) return
    if (res.socket) limit(res, bytes)
    // The answer is pipelined: its time begins with its turn.
    else res.once('socket', () => limit(res, bytes))
  }
  return Object.assign(limitAnswer, {
    closing: (socket: Writable) => limit(socket, socket.writableLength),
  })
}

/**
 * Closes the responses that wait for their turn on a connection when the connection closes: Node closes only
 * the response whose turn it is.
 */
export function createPipelines(): (socket: Duplex, res: ServerResponse) => void {
  const pipelineOf = derivedOnce((socket: Duplex) => {
    const pipeline = new Set<ServerResponse>()
    socket.once('close', () => {
      for (const res of pipeline) {
        res.destroy()
        res.emit('close')
      }
    })
    return pipeline
  })

  return (socket, res) => {
    if (res.socket) return
    const pipeline = pipelineOf(socket)
    pipeline.add(res)
    res.once('socket', () => pipeline.delete(res))
  }
}

/**
 * Runs at once, or when a pipelined response gets its turn or is closed. Data written before its turn would
 * stay in memory.
 */
export function atItsTurn<Result>(res: ServerResponse, run: () => Promise<Result>): Promise<Result> {
  if (res.socket || res.destroyed) return run()
  return new Promise((resolve) => {
    res.once('socket', resolve)
    res.once('close', resolve)
  }).then(run)
}
