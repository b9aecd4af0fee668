import { exchangeJson, type JsonPeer } from '../../outside/http-json.ts'
import type { Notice } from '../solver.ts'

/** A notice about solutions of one auction. */
export interface SolutionNotice extends Notice {
  auctionId: bigint
  /** The solver's own ids; empty if the notice is about the whole answer. */
  solutionIds: readonly number[]
}

export interface NoticesOptions {
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
