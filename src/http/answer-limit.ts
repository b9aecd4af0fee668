import type { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'

/** The time limits for clients to receive an answer that their connection does not take at once. */
export interface AnswerTimes {
  answerMs: number
  /** The rate at which a longer answer gets more time. */
  answerBytesPerMs: number
}

export interface AnswerLimit {
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
export function createAnswerLimit(
  { answerMs, answerBytesPerMs }: AnswerTimes,
  onCut: () => void,
): AnswerLimit {
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
