import type { Response } from 'graphql-sse'
import { Outage, Refusal } from '../domain/errors/error.ts'
import type { Caller } from '../http/caller.ts'
import type { Peers } from '../outside/redis/peers.ts'
import { heldMs } from '../outside/redis/shared.ts'

/** A request about a stream that lives at another process. */
export interface ForeignRequest {
  method: string
  url: string
  body: Record<string, unknown> | null
  caller: Pick<Caller, 'requestId' | 'client' | 'partner' | 'apiKey' | 'lastEventId'>
}

/** Reason for which a process keeps a reservation. */
export type Kept = 'open' | 'used'

/** Answers to questions of other processes. */
interface Here {
  tokens(): readonly string[]
  /**
   * Ends a reservation, so that another process has its stream.
   * @returns `given`, or the reason against it; undefined if there is none
   */
  give(token: string): Promise<'given' | Kept | undefined>
  /** Undefined where this process has no such stream. */
  perform(token: string, request: ForeignRequest): Promise<Response | undefined>
}

/** Streams of several operations at the other processes. Without Redis there are none. */
interface Elsewhere {
  /** Lets other processes find the stream of a token here. While Redis is away, only this process does. */
  announce(token: string): Promise<void>
  forget(token: string): void
  /**
   * Takes over a reservation.
   * @returns the reason against it.
   * @throws Refusal NotFound, or Unavailable while Redis is away
   */
  take(token: string | null): Promise<Kept | undefined>
  /** @throws Refusal as `take` does, and where the other process does not answer */
  perform(token: string | null, request: ForeignRequest): Promise<Response>
  close(): void
}

type Question = 'give' | ForeignRequest

const maxBatch = 500

export function createElsewhere(peers: Peers | undefined, here: Here): Elsewhere {
  if (!peers) return alone
  const repeating = setInterval(() => {
    const tokens = here.tokens()
    for (let start = 0; start < tokens.length; start += maxBatch)
      peers.hold(tokens.slice(start, start + maxBatch)).catch(() => {})
  }, heldMs / 3).unref()

  peers.onQuestion(async (token, question) =>
    question === 'give' ? here.give(token) : here.perform(token, question as ForeignRequest),
  )

  async function ask<Answer>(token: string | null, question: Question): Promise<Answer> {
    if (token === null) throw unknown
    const answer = await peers?.ask(token, question).catch((fault: unknown) => {
      throw fault instanceof Outage ? new Refusal('Unavailable', awayMessage) : fault
    })
    if (answer === undefined) throw unknown
    return answer as Answer
  }

  return {
    announce: (token) => peers.hold([token]).catch(() => {}),
    forget: (token) => void peers.drop(token).catch(() => {}),
    async take(token) {
      const answer = await ask<'given' | Kept>(token, 'give')
      return answer === 'given' ? undefined : answer
    },
    perform: (token, request) => ask<Response>(token, request),
    close: () => clearInterval(repeating),
  }
}

const awayMessage =
  'this process has no stream with this token, and cannot ask the others: Redis, or the process of the stream, does not answer'

const unknown = new Refusal(
  'NotFound',
  'no process has a stream with this token: it was not opened in time, or it ended with its process; begin again with PUT',
)

async function refuseAlone(): Promise<never> {
  throw new Refusal(
    'NotFound',
    'this process has no stream with this token: it was reserved at another process, or not opened in time; send all requests of a stream to the process that took its PUT, or use a stream for each operation',
  )
}

const alone: Elsewhere = {
  announce: async () => {},
  forget() {},
  take: refuseAlone,
  perform: refuseAlone,
  close() {},
}
