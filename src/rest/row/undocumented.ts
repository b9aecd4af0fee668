import { oneRead } from '../../execution/admission/charge.ts'
import { readUnits } from '../../execution/admission/units.ts'
import type { Family } from '../errors/body.ts'
import type { Endpoint } from './endpoint.ts'
import { patternOf } from './path.ts'
import type { RestRequest, RowTraits } from './route.ts'

/** A row without a document says itself what it costs. */
export interface UndocumentedRow extends RowTraits {
  /** Cost units, before it is run. @throws Refusal for invalid input */
  units(request: RestRequest<string>): number
}

/** What the endpoints of such rows share. */
export function undocumented(row: UndocumentedRow, family: Family) {
  return {
    ...patternOf(row.on, family === 'orderBook'),
    family,
    row,
    charge: oneRead,
    reserve(request, admission, bytes) {
      const reads = Math.max(1, row.units(request as RestRequest<string>))
      admission.reserve({ charge: { ...oneRead, reads }, read: readUnits(bytes) })
    },
    isRepeatable: false,
    recall: undefined,
  } satisfies Partial<Endpoint>
}
