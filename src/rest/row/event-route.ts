import type { Context } from '../../graphql/context/context.ts'
import type { Family } from '../errors/body.ts'
import type { EventForm } from '../stream.ts'
import type { Endpoint } from './endpoint.ts'
import type { RestRequest } from './route.ts'
import { type UndocumentedRow, undocumented } from './undocumented.ts'

/** A path that is answered with an event stream and has no document: its events are cheap enough for ten thousand streams. */
export interface EventRoute extends UndocumentedRow {
  /** Complete events, until the context's signal aborts. @throws Refusal */
  events(request: RestRequest<string>, context: Context): Promise<AsyncGenerator<string, void>>
  form: EventForm
}

export function compileEvents(row: EventRoute, family: Family): Endpoint {
  return {
    ...undocumented(row, family),
    units: () => 0,
    perform: () => Promise.reject(new TypeError(`${row.on} is a stream`)),
    events: {
      subscribe: (request, context) => row.events(request as RestRequest<string>, context),
      form: row.form,
    },
  }
}
