import type { Prisma } from '../generated/client.ts'

/** Where the rows of a list are found: ranges of indexes that have no row in common. */
export interface PageSource {
  /** `FROM …` of each, whose last clause is a condition. */
  ranges: readonly Prisma.Sql[]
  /** Conditions that no index has: they are asked of the first `limit` rows of the ranges. */
  look?: { limit: number; rest: Prisma.Sql } | undefined
}
