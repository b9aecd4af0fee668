import { LRUCache } from 'lru-cache'

/** Texts that are prepared at a time. Plans take memory of the server, on each connection. */
const maxNamed = 300
/** In characters, for each of which a plan takes some hundred bytes: of all of them, and of one. */
const maxCharacters = 600_000
const longestNamed = 32_768
/** A text is worth a plan when it is sent again and again: texts that are sent once or twice push nothing out. */
const usesBefore = 3
/** Texts whose uses are counted, in characters together. */
const maxCounted = 2_000_000

/** Which texts are prepared, by use: what is asked for often stays, whatever else is asked. */
export interface PlanNames {
  /** `undefined` for a text that is planned each time. */
  nameOf(text: string): string | undefined
  /** Notes that a connection gets a name's plan. @returns whether it has so many by now that it should be replaced */
  isWornBy(connection: object, name: string, text: string): boolean
}

export function createPlanNames(most = maxNamed): PlanNames {
  const sizeCalculation = (_value: unknown, text: string) => text.length
  const uses = new LRUCache<string, number>({ maxSize: maxCounted, sizeCalculation })
  const names = new LRUCache<string, string>({ max: most, maxSize: maxCharacters, sizeCalculation })
  const plans = new WeakMap<object, { names: Set<string>; characters: number }>()
  let last = 0

  return {
    nameOf(text) {
      const known = names.get(text)
      if (known !== undefined) return known
      if (text.length > longestNamed) return undefined
      const count = (uses.get(text) ?? 0) + 1
      uses.set(text, count)
      if (count < usesBefore) return undefined
      uses.delete(text)
      const name = `read${last++}`
      names.set(text, name)
      return name
    },
    isWornBy(connection, name, text) {
      const held = plans.get(connection) ?? { names: new Set(), characters: 0 }
      plans.set(connection, held)
      if (!held.names.has(name)) held.characters += text.length
      held.names.add(name)
      return held.names.size > 2 * most || held.characters > 2 * maxCharacters
    },
  }
}
