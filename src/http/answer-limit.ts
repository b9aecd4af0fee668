import type { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'

/** How long a client may take for an answer that its connection does not take at once. */
export interface AnswerTimes {
  answerMs: number
  /** A longer answer has more time, by this rate. */
  answerBytesPerMs: number
}

export interface AnswerLimit {
  /** Limits an answer that was written to its end: one that has left the process already costs nothing. */
  (res: ServerResponse): void
  /** Limits what was written to a connection that takes no more requests, and the wait for its client to close it. */
  closing(socket: Writable): void
}

/**
 * Closes the connections of clients that do not take what was written for them: it would stay in memory without end.
 * The whole answer has a deadline, since a client that takes a byte from time to time never stands still.
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
    // Pipelined: its time begins with its turn.
    else res.once('socket', () => limit(res, bytes))
  }
  return Object.assign(limitAnswer, {
    closing: (socket: Writable) => limit(socket, socket.writableLength),
  })
}
