import type { Subject } from '../database/subjects.ts'

/** One request, written for both schemas. */
export interface BenchDocument {
  name: string
  /** The text for the present schema; `fitToSchema` derives the document for an older one. */
  text: string
  /** A query of the same fields and rows. A variable `$chainId` is set if the text declares it. */
  postgraphile: string
  variables?: (matter: Matter, toText: ToText) => Record<string, unknown>
  /** The expected content of an answer, if not the order's UID. */
  expect?: (matter: Matter, toText: ToText) => string
}

/** The subject of a request: an order, its owner, and the related rows of the fill. */
export interface Matter extends Subject {
  /** The last auction that held the order. It settled. */
  auction: number
  transaction: Buffer
  /** The UIDs of ten orders, this one first. */
  uids: Buffer[]
  /** The order's opaque id on the server under test. */
  id: string
}

/** Bytes as the server under test writes them. */
export type ToText = (bytes: Buffer) => string
