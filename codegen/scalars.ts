import { isScalarType, isSpecifiedScalarType } from 'graphql'
import { schema } from '../src/graphql/schema.ts'

/**
 * Returns the JSON type of each custom scalar: `config.scalars` of codegen, for clients with only the SDL.
 */
export function scalarMap(): Record<string, string> {
  const scalars = Object.values(schema.getTypeMap())
    .filter(isScalarType)
    .filter((type) => !isSpecifiedScalarType(type))
  return Object.fromEntries(
    scalars
      .map(({ name, extensions }) => [name, String(extensions.codegenScalarType)] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
}
