import type { Caller } from '../../src/http/caller.ts'

/** Asks for nothing that depends on who it is. */
export const noCaller: Caller = {
  requestId: 'test',
  client: '127.0.0.1',
  apiKey: undefined,
  setHeader: () => {},
}
