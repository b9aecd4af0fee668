import type { Subject } from '../database/subjects.ts'

/** One question, in the words of both schemas. */
export interface BenchDocument {
  name: string
  /** For the present schema; `fitToSchema` has what an older one is asked instead. */
  text: string
  /** The same fields of the same rows. A variable `$chainId` is given where the text declares it. */
  postgraphile: string
  variables?: (matter: Matter, toText: ToText) => Record<string, unknown>
  /** What a right answer holds, where it is not the order's UID. */
  expect?: (matter: Matter, toText: ToText) => string
}

/** What a request is about: an order, its owner, and what else the filling has of it. */
export interface Matter extends Subject {
  /** The last auction that held the order. It settled. */
  auction: number
  transaction: Buffer
  /** Ten orders, this one first. */
  uids: Buffer[]
  /** The order's opaque id, as the server that is asked gives it out. */
  id: string
}

/** Bytes as the server that is asked writes them. */
export type ToText = (bytes: Buffer) => string
