/**
 * Cost units: what a client's reads are counted in. A small read is one unit, whatever it takes; one unit
 * stands for about 2 ms of a processor. `docs/performance.md` has the figures that these were taken from.
 */

/** Objects that a result may hold by the estimate. */
const objectsPerUnit = 128

/** Bytes of an answer that were written field by field. */
const executedPerUnit = 8_192

/** Bytes of an answer that the database wrote. */
const writtenPerUnit = 65_536

/** Of a request that was read: characters of its document, which is parsed and validated, and all of its bytes. */
const documentPerUnit = 2_048
const requestPerUnit = 65_536
const leastRead = 0.1

/** Bytes of an answer that was in memory. */
const keptPerUnit = 262_144

/** @param objects null when nobody counted to the end, undefined when there is nothing to execute */
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

/** Of a request that was read, and refused then: a unit at most. */
export function readUnits(bytes: number, document = ''): number {
  return Math.min(1, Math.max(leastRead, document.length / documentPerUnit + bytes / requestPerUnit))
}
