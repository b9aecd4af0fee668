import type { Partners } from '../../accounts/partners.ts'
import { divUp } from '../../domain/amount.ts'
import type { Caller } from '../../http/caller.ts'
import { type Charge, oneRead, type RateLimits, type Verdict } from './rate-limits.ts'

/** An admitted request with its current charge. */
export interface Admission {
  /** True if any limits are set. */
  isCounted: boolean
  /**
   * Counts the operation once it is known, in place of the charge at arrival. If it refuses, only the units
   * of `read` stay counted.
   * @throws Refusal RateLimited; QueryTooComplex for more than the burst of a limit
   */
  reserve(reservation: Reservation): void
  /**
   * Replaces the estimate by the units that the response used; the charge is the minimum.
   * @returns the units that the request took; undefined if it is not counted in units
   */
  settle(units: () => number): Use | undefined
}

/** Cost units of a client. */
export interface Use {
  /** Units that a request took. */
  actual: number
  /** Units that the client has left for now. */
  left: number
}

interface Reservation {
  /** The minimum that the operation counts as. */
  charge: Charge
  /** Estimated units; up to `RateLimits.maxReserved` are reserved. */
  estimate?: (() => number) | undefined
  /** Units that reading the request used, if less than 1. */
  read?: number | undefined
}

export interface Gate {
  /**
   * Counts the first unit of a request before any work, and sets the rate limit headers.
   * @param charge the minimum that the request counts as, if known
   * @throws Refusal as `reserve` does
   */
  arrive(caller: Caller, charge?: Charge): Admission
  /** Counts deliveries of a stream to a client. */
  deliveries(client: string): CountDelivery
  /** Calls `end` if the key of a client is revoked. @returns a function that stops watching */
  watch(client: string, end: () => void): () => void
}

/** @returns milliseconds that the stream has to wait before its next event; 0 for none */
export type CountDelivery = (units: number) => number

/**
 * Units of deliveries that are counted at once: a stream of small events need not look at its client's bucket
 * for each.
 */
const minSpent = 0.25

export interface GateOptions {
  /** Called for every request that is over a limit. */
  onLimited?: ((limit: string) => void) | undefined
  /** Clients whose events are counted, and whose keys may be revoked. */
  partners?: Pick<Partners, 'countEvents' | 'note' | 'watch'> | undefined
}

export function createGate(limits: RateLimits | undefined, { onLimited, partners }: GateOptions = {}): Gate {
  function counted(client: string, spend: CountDelivery): CountDelivery {
    const count = partners?.countEvents(client)
    if (!count) return spend
    return (units) => {
      count(units)
      return spend(units)
    }
  }
  const watch: Gate['watch'] = (client, end) => partners?.watch(client, end) ?? (() => {})
  if (!limits)
    return { arrive: () => unlimitedAdmission, deliveries: (client) => counted(client, () => 0), watch }

  function applyVerdict(caller: Caller, verdict: Verdict | undefined): void {
    if (!verdict) return
    caller.setHeader('RateLimit-Policy', verdict.policy)
    caller.setHeader('RateLimit', verdict.state)
    if (!verdict.refusal) return
    if (verdict.exceededKind) onLimited?.(verdict.exceededKind)
    throw verdict.refusal
  }

  return {
    watch,
    deliveries(client) {
      let unspent = 0
      return counted(client, (units) => {
        unspent += units
        if (unspent < minSpent) return 0
        const spent = unspent
        unspent = 0
        return limits.spend(client, spent)
      })
    },
    arrive(caller, charge = oneRead) {
      const { client, partner } = caller
      // Another process may have read its key.
      if (partner) partners?.note(partner)
      let minimum = charge
      let counted = charge
      applyVerdict(caller, limits.take(client, charge))
      caller.units = charge.reads
      caller.addUnits = (units) => {
        minimum = { ...minimum, reads: minimum.reads + units }
      }
      caller.addGas = (gas) => void limits.spend(client, gasUnits(gas))
      caller.takeGas = (gas) => {
        const refusal = limits.takeMore(client, gasUnits(gas), counted.reads)
        if (!refusal) return
        // The operation does not run: the answer returns the rest.
        minimum = { ...minimum, reads: Math.min(minimum.reads, 1) }
        onLimited?.('reads')
        throw refusal
      }
      return {
        isCounted: true,
        reserve({ charge: operationCharge, estimate, read = 1 }) {
          const maxReserved = limits.maxReserved(client)
          const isEstimated = estimate !== undefined && operationCharge.reads > 0 && maxReserved > 0
          const reads = isEstimated ? Math.min(estimate(), maxReserved) : 0
          const total = { ...operationCharge, reads: Math.max(operationCharge.reads, reads) }
          const verdict = limits.take(client, total, counted)
          if (verdict?.refusal) {
            if (counted.reads > 0) limits.settle(client, counted, read - counted.reads)
            counted = { ...counted, reads: 0 }
            caller.units = read
            // The wait in the refusal is for the total charge.
            applyVerdict(caller, limits.take(client, total))
          }
          applyVerdict(caller, verdict)
          minimum = operationCharge
          counted = total
          caller.units = total.reads
        },
        settle(units) {
          if (limits.maxReserved(client) === 0 || counted.reads === 0) return undefined
          const reads = Math.max(minimum.reads, units())
          const verdict = limits.settle(client, counted, reads - counted.reads)
          applyVerdict(caller, verdict)
          counted = { ...counted, reads }
          caller.units = reads
          return verdict?.left === undefined ? undefined : { actual: reads, left: verdict.left }
        },
      }
    },
  }
}

const unlimitedAdmission: Admission = { isCounted: false, reserve() {}, settle: () => undefined }

/**
 * Cost units, in which the limit of reads counts. A small read is one unit; one unit stands for about 2 ms of
 * a processor. `docs/performance.md` has the measurements.
 */

/** Estimated objects of a result. */
const objectsPerUnit = 128

/** Bytes of an answer that resolvers produced. */
const executedPerUnit = 8_192

/** Bytes of an answer that the database wrote. */
const writtenPerUnit = 65_536

/** Cost of reading a request: characters of its document (parsed and validated), and bytes of its body. */
const documentPerUnit = 2_048
const requestPerUnit = 65_536
const minReadUnits = 0.1

/** Bytes of a cached answer. */
const keptPerUnit = 262_144

/** Gas requested of the node, used or not. The node needs a core for some milliseconds for this much. */
const gasPerUnit = 500_000n

function gasUnits(gas: bigint): number {
  return Number(divUp(gas, gasPerUnit))
}

/** @param objects null if the estimate was cut off, undefined if there is nothing to execute */
export function estimatedUnits(objects: number | null | undefined): number {
  return objects === null ? Number.POSITIVE_INFINITY : Math.ceil((objects ?? 0) / objectsPerUnit)
}

export function executedUnits(bytes: number): number {
  return Math.ceil(bytes / executedPerUnit)
}

export function writtenUnits(bytes: number): number {
  return Math.ceil(bytes / writtenPerUnit)
}

export function keptUnits(bytes: number): number {
  return Math.ceil(bytes / keptPerUnit)
}

/** An event of a stream whose bytes all streams share, and one that was executed for its stream alone. */
const sharedEvent = 0.01
const executedEvent = 0.1

export function sharedEventUnits(bytes: number): number {
  return sharedEvent + bytes / keptPerUnit
}

export function executedEventUnits(bytes: number): number {
  return executedEvent + bytes / executedPerUnit
}

/** Units of a request that was read and then refused: at most 1. */
export function readUnits(bytes: number, document = ''): number {
  return Math.min(1, Math.max(minReadUnits, document.length / documentPerUnit + bytes / requestPerUnit))
}
