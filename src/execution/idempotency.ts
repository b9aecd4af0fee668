import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { accountOfSession } from '../accounts/sign-in.ts'
import { createByteBudget } from '../concurrency/byte-budget.ts'
import { Refusal } from '../domain/errors/error.ts'
import { sha256 } from '../domain/text/digest.ts'
import type { Services } from '../graphql/context/context.ts'
import { isFinalStatus } from '../graphql/errors.ts'
import type { Caller } from '../http/caller.ts'
import { beginAttempt, endKeyAttempt, findKeyed, storeResponse } from '../storage/idempotency.ts'

const algorithm = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16

/** Encrypts a text with a key of 32 bytes. @returns base64 */
function encryptText(text: string, key: Buffer): string {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv(algorithm, key, iv)
  const content = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), content]).toString('base64')
}

/** @returns undefined for a text that was not sealed with this key */
function decryptText(sealed: string, key: Buffer): string | undefined {
  const bytes = Buffer.from(sealed, 'base64')
  if (bytes.length < ivBytes + tagBytes) return undefined
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
  decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
  try {
    const content = decipher.update(bytes.subarray(ivBytes + tagBytes))
    return Buffer.concat([content, decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}

/** A response before it is written. */
export interface Produced {
  status: number
  headers: Record<string, string>
  body: string
}

/** A request with an idempotency key. */
interface RepeatableRequest {
  /** Method and path, for which the key is valid. */
  scope: string
  key: string
  body: string
  /** Reports whether a retry would get the same answer; the status decides when left out. */
  isFinal?: (answer: Produced) => boolean
}

/**
 * Answers repetitions of a request with the first answer, marked by `Idempotent-Replayed`, in any process. If
 * an attempt ended without a final answer, the next repetition runs it again with `interruptedAt` set. So
 * does a repetition whose credential has ended since: it gets the refusal that it would get without a key.
 * @throws Refusal IdempotencyKeyReused for another body, IdempotencyKeyInUse while the first attempt lasts,
 * RateLimited for a client whose keys have too many bytes
 */
export type AnswerOnce = (
  request: RepeatableRequest,
  caller: Caller,
  produce: (caller: Caller) => Promise<Produced>,
) => Promise<Produced>

export interface IdempotencyTimes {
  /** How long a key is stored. */
  keptMs: number
  /** The time without an answer after which an attempt counts as lost: longer than any request takes. */
  lostMs: number
  /** How long a repetition waits for the first attempt. */
  waitMs: number
  /** Bytes of keys and answers that one client has stored. */
  maxClientBytes: number
}

export const defaultTimes: IdempotencyTimes = {
  keptMs: 86_400_000,
  lostMs: 30_000,
  waitMs: 5_000,
  maxClientBytes: 33_554_432,
}

const pollMs = 100
/** Longer answers are not stored, and a repetition runs again. */
const maxStoredBytes = 8_192
/** Bytes of a key without its answer: hashes, times and index entries. */
const keyBytes = 320

export function createAnswerOnce(
  services: Pick<Services, 'db' | 'now' | 'log' | 'isOperator' | 'isEditor' | 'shared' | 'storedMeter'>,
  { keptMs, lostMs, waitMs, maxClientBytes: bytes }: IdempotencyTimes,
): AnswerOnce {
  const { db, now, log, isOperator, isEditor, shared, storedMeter: meter } = services
  const budget = createByteBudget(
    { what: 'idempotency keys', bytes, ageMs: keptMs },
    { now, shared: shared?.budgets, meter },
  )
  const timeBefore = (milliseconds: number) => new Date(now() - milliseconds)

  return async ({ scope, key: clientKey, body, isFinal = hasFinalStatus }, caller, produce) => {
    // Clients may choose equal keys, and only the operator may get answers to the operator.
    const key = sha256([scope, caller.client, caller.apiKey ?? '', clientKey].join('\n'))
    const request = { key, bodyHash: sha256(body) }
    // Answers may hold secrets, such as a session's token: only a repetition can read the stored ones.
    const seal = sha256([scope, clientKey, body].join('\n'))
    const attempt = { key, id: randomUUID() }
    for (let waited = 0; ; waited += pollMs) {
      const times = {
        id: attempt.id,
        now: timeBefore(0),
        lostBefore: timeBefore(lostMs),
        expiredBefore: timeBefore(keptMs),
      }
      if (waited === 0) await checkRoom()
      const started = await beginAttempt(db, request, times)
      if (started && !started.again) budget.add(caller.client, keyBytes)
      if (started) return runAttempt(started.again ? { ...caller, interruptedAt: started.first } : caller)
      const stored = await findKeyed(db, key)
      if (stored && !request.bodyHash.equals(stored.bodyHash)) throw reused
      if (stored?.answer) {
        const { status, contentType, personal } = stored.answer
        if (personal && !(await isAlive(caller))) {
          return produce({ ...caller, interruptedAt: stored.first })
        }
        // Earlier versions stored the text itself.
        const body = decryptText(stored.answer.body, seal) ?? stored.answer.body
        return { status, headers: { 'Content-Type': contentType, 'Idempotent-Replayed': 'true' }, body }
      }
      if (waited >= waitMs) throw inUse
      await pause(pollMs)
    }

    /** Checks room for new keys; known keys need none. @throws Refusal RateLimited */
    async function checkRoom(): Promise<void> {
      try {
        budget.check(caller.client)
      } catch (refusal) {
        if (!(await findKeyed(db, key))) throw refusal
      }
    }

    async function runAttempt(caller: Caller): Promise<Produced> {
      let personal = false
      let isFleeting = false
      const markPersonal = () => {
        personal = true
      }
      const markFleeting = () => {
        isFleeting = true
      }
      const answer = await produce({ ...caller, markPersonal, markFleeting }).catch(
        async (error: unknown) => {
          await recordEnd(() => endKeyAttempt(db, attempt))
          throw error
        },
      )
      const { status, headers, body } = answer
      const contentType = headers['Content-Type'] ?? headers['content-type'] ?? ''
      // A response that is not kept leaves only the key, with the digest of its request.
      const isKept = isFinal(answer) && !isFleeting && Buffer.byteLength(body) <= maxStoredBytes
      if (isKept) budget.add(caller.client, Buffer.byteLength(body))
      await recordEnd(() =>
        isKept
          ? storeResponse(db, attempt, { status, contentType, body: encryptText(body, seal), personal })
          : endKeyAttempt(db, attempt),
      )
      return answer
    }
  }

  async function isAlive({ apiKey, partner }: Caller): Promise<boolean> {
    if (partner || isOperator?.(apiKey) || isEditor?.(apiKey)) return true
    return (await accountOfSession(db, apiKey, now())) !== undefined
  }

  /** Logs failures only: the answer is valid without its record, and the next attempt recovers it. */
  async function recordEnd(write: () => Promise<void>): Promise<void> {
    await write().catch((error: unknown) => {
      log.warn('the answer to a keyed request was not kept', { error: String(error) })
    })
  }
}

/** The client's key, if there is one. @throws Refusal InvalidParameter for an invalid key */
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
