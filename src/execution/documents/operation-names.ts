import { type DocumentNode, getOperationAST, Kind, parse } from 'graphql'
import { derivedOnce } from '../../domain/derived.ts'
import { schema } from '../../graphql/schema.ts'
import { type GraphqlParams, operationNameOf } from '../admission/operations.ts'
import type { Documents } from './documents.ts'

/** The name of an operation in metrics and traces. Clients choose no part, so they cannot create series. */
export interface OperationName {
  /** The name from a document of the deployment; `other` for the rest. */
  name: string
  /** Its type and its only root field, such as `query order`; `several` for more of them. */
  of: string
}

const maxNames = 100
const unknown: OperationName = { name: 'other', of: 'none' }

/** @param listed documents of the deployment: text by its hash */
export function operationNames(
  documents: Pick<Documents, 'parse'>,
  listed: Readonly<Record<string, string>> = {},
): (params: GraphqlParams) => OperationName {
  const names = new Map(
    Object.entries(listed)
      .slice(0, maxNames)
      .map(([hash, text]) => [text, nameIn(text) ?? hash.slice(0, 12)]),
  )
  const fieldsIn = derivedOnce((_document: DocumentNode) => new Map<string | undefined, string>())

  function fieldOf(document: DocumentNode, operationName: string | undefined): string {
    const known = fieldsIn(document)
    const found = known.get(operationName) ?? rootField(document, operationName)
    // One document has as many operations as its author wrote; other names are no operations.
    if (found !== unknown.of) known.set(operationName, found)
    return found
  }

  return (params) => {
    try {
      const text = String(params.query)
      const of = fieldOf(documents.parse(text), operationNameOf(params))
      return { name: names.get(text) ?? unknown.name, of }
    } catch {
      return unknown
    }
  }
}

function nameIn(text: string): string | undefined {
  try {
    return getOperationAST(parse(text))?.name?.value
  } catch {
    return undefined
  }
}

function rootField(document: DocumentNode, operationName: string | undefined): string {
  const operation = getOperationAST(document, operationName)
  if (!operation) return unknown.of
  const [first, ...more] = operation.selectionSet.selections
  if (first?.kind !== Kind.FIELD || more.length > 0) return `${operation.operation} several`
  const { value: field } = first.name
  const isKnown = Object.hasOwn(schema.getRootType(operation.operation)?.getFields() ?? {}, field)
  return `${operation.operation} ${isKnown ? field : 'none'}`
}
