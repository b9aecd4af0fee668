import { LRUCache } from 'lru-cache'
import type { Prepared } from './connections/text-query.ts'

/** Statements that are prepared at a time. A plan takes server memory on each connection. */
const defaultMaxNames = 300
/** Characters of all prepared statements, and of one: a plan takes about a hundred bytes for each. */
const maxCharacters = 600_000
const maxStatementCharacters = 32_768
/** Uses before a statement gets a plan, so that statements sent once or twice evict no other. */
const usesBefore = 3
/** Characters of all statements whose uses are counted. */
const maxCounted = 2_000_000

/** Chooses which statements are prepared, by use: frequent ones stay, however many others are sent. */
export interface PlanNames {
  /** `undefined` for a statement that is planned each time. */
  nameOf(text: string): string | undefined
  /** Reports whether a connection has prepared so much that the pool should replace it. */
  holdsTooManyPlans(connection: Prepared): boolean
}

export function createPlanNames(maxNames = defaultMaxNames): PlanNames {
  const sizeCalculation = (_value: unknown, text: string) => text.length
  const uses = new LRUCache<string, number>({ maxSize: maxCounted, sizeCalculation })
  const names = new LRUCache<string, string>({ max: maxNames, maxSize: maxCharacters, sizeCalculation })
  let nextNumber = 0

  return {
    nameOf(text) {
      const existingName = names.get(text)
      if (existingName !== undefined) return existingName
      if (text.length > maxStatementCharacters) return undefined
      const count = (uses.get(text) ?? 0) + 1
      uses.set(text, count)
      if (count < usesBefore) return undefined
      uses.delete(text)
      const name = `read${nextNumber++}`
      names.set(text, name)
      return name
    },
    holdsTooManyPlans: ({ prepared, preparedCharacters }) =>
      prepared.size > 2 * maxNames || preparedCharacters > 2 * maxCharacters,
  }
}

const preparedNames = new Map<string, string>()

/**
 * Names a statement so that each connection plans it once. Only for texts that are fixed when the program
 * starts.
 */
export function prepared(text: string): string {
  if (!preparedNames.has(text)) preparedNames.set(text, `kept${preparedNames.size}`)
  return text
}

/** Undefined for a text that is not `prepared`. */
export function preparedName(text: string): string | undefined {
  return preparedNames.get(text)
}
