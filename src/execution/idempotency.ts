import { createHash, randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { Refusal } from '../domain/errors/error.ts'
import type { Services } from '../graphql/context/context.ts'
import { isFinalStatus } from '../graphql/errors/status.ts'
import type { Caller } from '../http/caller.ts'
import { beginAttempt, endAttempt, findKeyed, keepAnswer } from '../storage/idempotency.ts'

/** An answer before it is written. */
export interface Produced {
  status: number
  headers: Record<string, string>
  body: string
}

/** A request that its client may send again. */
interface RepeatableRequest {
  /** Method and path: a key is good for one of them. */
  scope: string
  key: string
  body: string
  /** Whether an answer stays what it is when the request is sent again; by its status when left out. */
  isFinal?: (answer: Produced) => boolean
}

/**
 * Answers a request once, whichever process it comes to and however often: a repetition gets the same answer,
 * marked by `Idempotent-Replayed`. An attempt that ended without a final answer is made again; it is told so
 * by `interruptedAt`.
 * @throws Refusal IdempotencyKeyReused for another body, IdempotencyKeyInUse while the first attempt lasts
 */
export type AnswerOnce = (
  request: RepeatableRequest,
  caller: Caller,
  produce: (caller: Caller) => Promise<Produced>,
) => Promise<Produced>

export interface IdempotencyTimes {
  /** How long a key is known. */
  keptMs: number
  /** An attempt without an answer for this long is taken for lost: longer than any request takes. */
  lostMs: number
  /** How long a repetition waits for the first attempt. */
  waitMs: number
}

export const defaultTimes: IdempotencyTimes = {
  keptMs: 86_400_000,
  lostMs: 30_000,
  waitMs: 5_000,
}

const pollMs = 100
/** In bytes; a longer answer is made anew. */
const longestBody = 8_192

export function createAnswerOnce(
  { db, now, log }: Pick<Services, 'db' | 'now' | 'log'>,
  { keptMs, lostMs, waitMs }: IdempotencyTimes,
): AnswerOnce {
  const ago = (milliseconds: number) => new Date(now() - milliseconds)

  return async ({ scope, key: given, body, isFinal = hasFinalStatus }, caller, produce) => {
    // Others may choose the same key; and what was answered to the operator is for nobody else.
    const key = sha256([scope, caller.client, caller.apiKey ?? '', given].join('\n'))
    const request = { key, bodyHash: sha256(body) }
    const attempt = { key, id: randomUUID() }
    for (let waited = 0; ; waited += pollMs) {
      const times = { id: attempt.id, now: ago(0), lostBefore: ago(lostMs), expiredBefore: ago(keptMs) }
      const begun = await beginAttempt(db, request, times)
      if (begun) return make(begun.again ? { ...caller, interruptedAt: begun.first } : caller)
      const known = await findKeyed(db, key)
      if (known && !request.bodyHash.equals(known.bodyHash)) throw reused
      if (known?.answer) {
        const { status, contentType, body } = known.answer
        return { status, headers: { 'Content-Type': contentType, 'Idempotent-Replayed': 'true' }, body }
      }
      if (waited >= waitMs) throw inUse
      await pause(pollMs)
    }

    async function make(params: Caller): Promise<Produced> {
      const answer = await produce(params).catch(async (error: unknown) => {
        await settle(() => endAttempt(db, attempt))
        throw error
      })
      const { status, headers, body } = answer
      const contentType = headers['Content-Type'] ?? headers['content-type'] ?? ''
      const isKept = isFinal(answer) && Buffer.byteLength(body) <= longestBody
      await settle(() =>
        isKept
          ? keepAnswer(db, attempt, { status, contentType, body }, ago(keptMs))
          : endAttempt(db, attempt),
      )
      return answer
    }
  }

  /** The answer is true whether it is kept or not; what is not kept is found out by the next attempt. */
  async function settle(write: () => Promise<void>): Promise<void> {
    await write().catch((error: unknown) => {
      log.warn('the answer to a keyed request was not kept', { error: String(error) })
    })
  }
}

/** The client's key, if there is one. @throws Refusal when it is none */
export function idempotencyKeyOf({ headers }: IncomingMessage): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw new Refusal('InvalidParameter', 'Idempotency-Key must be 1 to 255 visible characters', {
    field: 'Idempotency-Key',
  })
}

function hasFinalStatus({ status }: Produced): boolean {
  return isFinalStatus(status)
}

const reused = new Refusal('IdempotencyKeyReused', 'this Idempotency-Key came with another body before', {
  field: 'Idempotency-Key',
})

const inUse = new Refusal(
  'IdempotencyKeyInUse',
  'the first request with this Idempotency-Key has no answer yet',
  {
    field: 'Idempotency-Key',
  },
)

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
