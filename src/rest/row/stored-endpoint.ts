import { Refusal } from '../../domain/errors/error.ts'
import { oneRead } from '../../execution/admission/charge.ts'
import { estimatedUnits, keptUnits, readUnits, writtenUnits } from '../../execution/admission/units.ts'
import type { Services } from '../../graphql/context/context.ts'
import { tradingOn } from '../../graphql/context/networks.ts'
import { ambientOf } from '../../graphql/stored/reading.ts'
import { defaultReportAuctions } from '../../storage/bodies/debug-report.ts'
import { readFor } from '../../storage/database/database.ts'
import type { Family } from '../errors/body.ts'
import type { Endpoint } from './endpoint.ts'
import { patternOf } from './path.ts'
import type { RestRequest } from './route.ts'
import type { StoredRoute } from './stored-route.ts'

/** Compiles a row whose body the database writes. */
export function compileStored(row: StoredRoute, family: Family, services: Services): Endpoint {
  const { reportAuctions = defaultReportAuctions } = services
  return {
    ...patternOf(row.on, family === 'orderBook'),
    family,
    row,
    charge: oneRead,
    reserve(request, admission, bytes) {
      admission.reserve({
        charge: oneRead,
        estimate: () => estimatedUnits(row.items?.(request as RestRequest<string>) ?? 1),
        read: readUnits(bytes),
      })
    },
    units: row.isKept ? keptUnits : writtenUnits,
    isRepeatable: false,
    recall: undefined,
    async perform(request, _context, reader) {
      const { maxOrderUids, announcements } = services
      const answer = await row.read(
        request as RestRequest<string>,
        {
          db: readFor(services.db, reader),
          announcements,
          ambient: ambientOf({ ...services, restricted: row.restricted === true }),
          reportAuctions,
          ...(maxOrderUids !== undefined && { maxOrderUids }),
          ...(family === 'orderBook' && { network: tradingOn(services, request.network).network }),
        } as Parameters<StoredRoute['read']>[1],
      )
      if (!answer) throw new Refusal('NotFound', row.missing ?? 'there is no such thing')
      return {
        status: 200,
        headers: { 'Content-Type': 'application/json', ...row.headers, ...answer.headers },
        body: answer.body,
      }
    },
  }
}
