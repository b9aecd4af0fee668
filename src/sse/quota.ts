/** Streams held open, in all and for each client. */
export interface Quota {
  /** @returns how to give the place back, or undefined when there is none */
  take(client: string): (() => void) | undefined
}

export function createQuota({ perClient, total }: { perClient: number; total: number }): Quota {
  const held = new Map<string, number>()
  let all = 0

  return {
    take(client) {
      const own = held.get(client) ?? 0
      if (own >= perClient || all >= total) return undefined
      held.set(client, own + 1)
      all++
      let given = false
      return () => {
        if (given) return
        given = true
        all--
        const left = (held.get(client) ?? 1) - 1
        if (left > 0) held.set(client, left)
        else held.delete(client)
      }
    },
  }
}
