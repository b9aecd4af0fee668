/** Limits open streams, in total and for each client. */
export interface Quota {
  /** Takes a slot. @returns a function that releases it, or undefined when no slot is free */
  take(client: string): (() => void) | undefined
}

export function createQuota({ perClient, total }: { perClient: number; total: number }): Quota {
  const openByClient = new Map<string, number>()
  let open = 0

  return {
    take(client) {
      const openOfClient = openByClient.get(client) ?? 0
      if (openOfClient >= perClient || open >= total) return undefined
      openByClient.set(client, openOfClient + 1)
      open++
      let released = false
      return () => {
        if (released) return
        released = true
        open--
        const remaining = (openByClient.get(client) ?? 1) - 1
        if (remaining > 0) openByClient.set(client, remaining)
        else openByClient.delete(client)
      }
    },
  }
}
