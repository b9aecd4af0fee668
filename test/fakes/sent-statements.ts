import { Client } from 'pg'
import { type MockInstance, vi } from 'vitest'

export interface SentStatement {
  text: string
  values: unknown[]
}

/** What the program sends to its database from now on, with its values. */
export function recordStatements() {
  const spy = vi.spyOn(Client.prototype, 'query') as unknown as MockInstance<
    (query: SentStatement | string) => unknown
  >
  return {
    /** Statements of what `ask` does. */
    async of(ask: () => Promise<unknown>): Promise<SentStatement[]> {
      const before = spy.mock.calls.length
      await ask()
      return spy.mock.calls
        .slice(before)
        .flatMap(([query]) => (typeof query === 'object' ? [{ text: query.text, values: query.values }] : []))
    },
    end: () => spy.mockRestore(),
  }
}
