import type { Refused, SolutionRefusal } from '../../domain/auction/competition.ts'
import { Refusal } from '../../domain/errors/error.ts'
import { OutsideFault, Throttled } from '../../outside/fault.ts'
import { exchangeJson, type JsonPeer } from '../../outside/http-json.ts'
import type { Notice } from '../solver.ts'

/** A notice about solutions of one auction. */
export interface SolutionNotice extends Notice {
  auctionId: bigint
  /** The solver's own ids; empty if the notice is about the whole answer. */
  solutionIds: readonly number[]
}

interface NoticesOptions {
  peer: JsonPeer
  /** Stores a notice, so that the solver can read it later. */
  store(notice: SolutionNotice): Promise<void>
}

/** The maximum number of notices in transit to one engine. Further ones are stored only. */
const maxUnderWay = 8
/**
 * The maximum number of notices of one engine that are being stored: more than one answer can cause. Further
 * ones are lost.
 */
const maxBeingStored = 50
const timeoutMs = 2_000
const maxAnswerBytes = 1_000

/**
 * Creates a function that sends `POST {url}/notify` once and stores the notice. It waits for neither, and a
 * fault of one does not affect the other.
 */
export function createNotices({ peer, store }: NoticesOptions): (notice: SolutionNotice) => void {
  const notified = { ...peer, timeoutMs, maxBytes: maxAnswerBytes }
  let underWay = 0
  let beingStored = 0
  return (notice) => {
    if (beingStored >= maxBeingStored) return
    beingStored++
    store(notice)
      .catch(() => undefined)
      .finally(() => beingStored--)
    if (underWay >= maxUnderWay) return
    underWay++
    exchangeJson(notified, { path: '/notify', body: writeNotice(notice) }, AbortSignal.timeout(timeoutMs))
      .catch(() => undefined)
      .finally(() => underWay--)
  }
}

/** The body of POST /notify. */
export function writeNotice({ auctionId, solutionIds, kind, extra }: SolutionNotice) {
  const [first = null, second] = solutionIds
  const solutionId = second === undefined ? first : solutionIds
  return { auctionId: auctionId.toString(), solutionId, kind, ...extra }
}

/** The notice about a rule without a kind of its own. */
export function refusalNotice(code: SolutionRefusal, reason: string): Notice {
  return { kind: 'driverError', code, reason, extra: { reason } }
}

/** The stored form of a refusal of which the solver is notified. */
export function refusedBy({ code = 'unsupported', reason }: Notice): Refused {
  return { code, message: reason }
}

/** The notice about a whole answer. There is none while a solver is paused, which is no news to it. */
export function faultNotice(fault: unknown): Notice | undefined {
  if (fault instanceof Refusal || fault instanceof Throttled || !(fault instanceof OutsideFault))
    return undefined
  const { reason } = fault
  if (reason === 'did not answer in time') return { kind: 'timeout', reason }
  if (reason.endsWith('two solutions have one id')) return { kind: 'duplicatedSolutionId', reason }
  if (/^sends an invalid answer|^answers /.test(reason))
    return { kind: 'deserializationError', reason, extra: { reason } }
  return undefined
}
