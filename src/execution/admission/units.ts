import { divUp } from '../../domain/amount.ts'

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

export function gasUnits(gas: bigint): number {
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
