import type { Caller } from '../../src/http/caller.ts'

/** A caller for requests that do not depend on the client. */
export const noCaller: Caller = {
  requestId: 'test',
  client: '127.0.0.1',
  apiKey: undefined,
  setHeader: () => {},
}
