import { Client } from 'pg'
import { type MockInstance, vi } from 'vitest'

export interface SentStatement {
  text: string
  values: unknown[]
}

/** Records the statements that the program sends to its database, with their values. */
export function recordStatements() {
  const spy = vi.spyOn(Client.prototype, 'query') as unknown as MockInstance<
    (query: SentStatement | string) => unknown
  >
  return {
    /** The statements sent by `ask`. */
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
