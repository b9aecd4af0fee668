import { ageDown, maxAgeDown, type Sourced } from '../../domain/token/sourced.ts'
import type { Context } from '../context/context.ts'

/** GraphQL fields for the source and age of a value. @param sourcedValue finds the value in a row */
export function sourceFields<Row>(sourcedValue: (row: Row) => Sourced<unknown>) {
  return {
    source: {
      type: 'String' as const,
      description: 'The source, by its name in the settings.',
      resolve: (row: Row) => sourcedValue(row).source,
    },
    asOf: {
      type: 'DateTime' as const,
      description: 'The time at which the source was asked.',
      resolve: (row: Row) => new Date(sourcedValue(row).at),
    },
    age: {
      type: 'SafeInt' as const,
      description: 'Whole seconds since then.',
      resolve: (row: Row, _args: object, { now }: Context) => ageDown(sourcedValue(row), now()),
    },
    maxAge: {
      type: 'SafeInt' as const,
      description: 'Whole seconds after `asOf` for which it may be kept; 0 when it is stale.',
      resolve: (row: Row) => maxAgeDown(sourcedValue(row)),
    },
    isStale: {
      type: 'Boolean' as const,
      description:
        'True if this is an earlier value, returned because no source of equal or higher priority answers now.',
      resolve: (row: Row) => sourcedValue(row).isStale,
    },
  }
}
