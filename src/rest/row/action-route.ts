import { executedUnits } from '../../execution/admission/units.ts'
import type { Context } from '../../graphql/context/context.ts'
import type { Family } from '../errors/body.ts'
import type { Endpoint } from './endpoint.ts'
import type { RestRequest } from './route.ts'
import { type UndocumentedRow, undocumented } from './undocumented.ts'

/** A path of a protocol that REST alone has: it has no document. Doing it twice does no harm. */
export interface ActionRoute extends UndocumentedRow {
  /** @returns status and body of the answer @throws Refusal */
  act(request: RestRequest<string>, context: Context): Promise<{ status: number; body: object }>
}

export function compileAction(row: ActionRoute, family: Family): Endpoint {
  return {
    ...undocumented(row, family),
    units: executedUnits,
    async perform(request, context) {
      const { status, body } = await row.act(request as RestRequest<string>, context())
      const headers = { 'Content-Type': 'application/json', ...row.headers }
      return { status, headers, body: JSON.stringify(body) }
    },
  }
}
