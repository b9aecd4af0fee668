import { LRUCache } from 'lru-cache'

/** Texts that are prepared at a time. Plans take memory of the server, on each connection. */
const mostNamed = 300
/** A text is worth a plan when it is sent again and again: texts that are sent once or twice push nothing out. */
const usesBefore = 3
/** Texts whose uses are counted. */
const mostCounted = 2_000

/** Which texts are prepared, by use: what is asked for often stays, whatever else is asked. */
export interface PlanNames {
  /** `undefined` for a text that is planned each time. */
  nameOf(text: string): string | undefined
  /** Notes that a connection has a name's plan. @returns whether it has so many by now that it should be replaced */
  isWornBy(connection: object, name: string): boolean
}

export function createPlanNames(most = mostNamed): PlanNames {
  const uses = new LRUCache<string, number>({ max: mostCounted })
  const names = new LRUCache<string, string>({ max: most })
  const plans = new WeakMap<object, Set<string>>()
  let last = 0

  return {
    nameOf(text) {
      const known = names.get(text)
      if (known !== undefined) return known
      const count = (uses.get(text) ?? 0) + 1
      uses.set(text, count)
      if (count < usesBefore) return undefined
      uses.delete(text)
      const name = `read${last++}`
      names.set(text, name)
      return name
    },
    isWornBy(connection, name) {
      const held = plans.get(connection) ?? new Set()
      plans.set(connection, held.add(name))
      return held.size > 2 * most
    },
  }
}
