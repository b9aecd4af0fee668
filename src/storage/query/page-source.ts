import type { Prisma } from '../generated/client.ts'

/** The rows of a list: disjoint index ranges. */
export interface PageSource {
  /** The text after FROM of each range; its last clause is a condition. */
  ranges: readonly Prisma.Sql[]
  /** A condition that no index supports: it is checked for the first `limit` rows of the ranges. */
  scan?: { limit: number; condition: Prisma.Sql } | undefined
  /** SQL of what the list belongs to, for the relation's `faults`. */
  subject?: Prisma.Sql
}
