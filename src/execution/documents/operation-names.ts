import { getOperationAST, Kind, parse } from 'graphql'
import { schema } from '../../graphql/schema.ts'
import type { Operation } from '../operation.ts'

/** The name of an operation in metrics and traces. Clients choose no part, so they cannot create series. */
export interface OperationName {
  /** The name from a document of the deployment; `other` for the rest. */
  name: string
  /** Its type and its only root field, such as `query order`; `several` for more of them. */
  of: string
}

const maxNames = 100

/** @param listed documents of the deployment: text by its hash */
export function operationNames(
  listed: Readonly<Record<string, string>> = {},
): (operation: Operation) => OperationName {
  const names = new Map(
    Object.entries(listed)
      .slice(0, maxNames)
      .map(([hash, text]) => [text, nameIn(text) ?? hash.slice(0, 12)]),
  )
  return (operation) => ({ name: names.get(operation.text) ?? 'other', of: rootField(operation) })
}

function nameIn(text: string): string | undefined {
  try {
    return getOperationAST(parse(text))?.name?.value
  } catch {
    return undefined
  }
}

function rootField({ definition }: Operation): string {
  if (!definition) return 'none'
  const { operation, selectionSet } = definition
  const [first, ...more] = selectionSet.selections
  if (first?.kind !== Kind.FIELD || more.length > 0) return `${operation} several`
  const { value: field } = first.name
  const isKnown = Object.hasOwn(schema.getRootType(operation)?.getFields() ?? {}, field)
  return `${operation} ${isKnown ? field : 'none'}`
}
