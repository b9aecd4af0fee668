import {
  coerceInputValue,
  type DocumentNode,
  type GraphQLError,
  type GraphQLInputType,
  getVariableValues,
  isInputType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql'
import { Refusal } from '../../domain/errors/error.ts'
import { nestsDeeper } from '../../domain/text/json.ts'
import { refusalError, variableError } from '../../graphql/errors.ts'
import { fieldOf, firstFault } from '../../graphql/input/parse.ts'
import { schema } from '../../graphql/schema.ts'

/** An operation of a document, with its variables. */
export interface Executable {
  readonly document: DocumentNode
  readonly definition: OperationDefinitionNode | undefined
  /** The variables as they came, and as execution coerces them. */
  readonly variableValues: Readonly<Record<string, unknown>>
  readonly variables: Record<string, unknown> | undefined
}

/** Total values, and nesting depth. The longest list that a field accepts has a few hundred items. */
export const variableLimits = { values: 2_000, depth: 32, errors: 10 }

/** Nesting of a request body, which has variables and extensions a few levels down. */
const maxBodyDepth = variableLimits.depth + 4

/** Checks JSON before it is parsed. @throws Refusal QueryTooComplex for too deep nesting */
export function checkNesting(text: string): void {
  if (nestsDeeper(text, maxBodyDepth)) throw tooManyValues()
}

/**
 * Checks the size of variables. Iterative, and called before recursive code sees them.
 * @throws Refusal QueryTooComplex
 */
export function checkSize(variables: unknown): void {
  let level = [variables]
  let values = 0
  for (let depth = 0; level.length > 0; depth++) {
    const below: unknown[] = []
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue
      values += Array.isArray(value) ? value.length : Object.keys(value).length
      if (values > variableLimits.values || depth > variableLimits.depth) throw tooManyValues()
      for (const inner of Object.values(value)) below.push(inner)
    }
    level = below
  }
}

function tooManyValues(): Refusal {
  const { values, depth } = variableLimits
  const message = `the variables are over a limit: ${values} values, ${depth} levels deep`
  return new Refusal('QueryTooComplex', message, { field: 'variables' })
}

/** Variables as execution coerces them; undefined if they do not fit. */
export function coerceVariables(
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): Record<string, unknown> | undefined {
  return getVariableValues(schema, variableDefinitions, variables, { maxErrors: 1, hideSuggestions: true })
    .coerced
}

/** Ends the search at the limit of errors. */
class EnoughFaults extends Error {}

/**
 * Errors of an operation's variables, each with its field, which graphql-js has in the message only.
 * @param suggests whether errors suggest schema names
 */
export function variableFaults(
  { definition, variableValues }: Executable,
  suggests: boolean,
): GraphQLError[] {
  const faults: GraphQLError[] = []
  for (const { variable, type: typeNode, defaultValue } of definition?.variableDefinitions ?? []) {
    const name = variable.name.value
    const type = typeFromAST(schema, typeNode)
    if (!type || !isInputType(type)) continue
    const value = variableValues[name]
    if (value !== undefined) faults.push(...faultsOfValue(type, value, name, suggests))
    else if (isNonNullType(type) && !defaultValue) faults.push(missingVariable(name, type))
    if (faults.length >= variableLimits.errors) break
  }
  return faults.slice(0, variableLimits.errors)
}

/** Faults of a value. REST names the first. */
function faultsOfValue(
  type: GraphQLInputType,
  value: unknown,
  name: string,
  suggests: boolean,
): GraphQLError[] {
  const faults = new Map<string, GraphQLError>()
  const report: Parameters<typeof coerceInputValue>[2] = (path, _value, error) => {
    const absent = /^Field "(\w+)" (?!must be)/.exec(error.message)?.[1]
    const field = fieldOf([name, ...path, ...(absent ? [absent] : [])], [name])
    if (!faults.has(field)) faults.set(field, variableError(error, field))
    if (faults.size >= variableLimits.errors) throw new EnoughFaults()
  }
  try {
    coerceInputValue(value, type, report, !suggests)
  } catch (error) {
    if (!(error instanceof EnoughFaults)) throw error
  }
  const first = faults.size > 0 ? firstFault(type, value, [name], [name]) : undefined
  if (first?.field === undefined) return [...faults.values()]
  const named = first.field
  // A schema of one member of several names their object, graphql-js the member.
  const field = [...faults.keys()].find((key) => key === named || key.startsWith(`${named}.`)) ?? named
  const fault = faults.get(field) ?? refusalError(first)
  faults.delete(field)
  return [fault, ...faults.values()]
}

function missingVariable(name: string, type: GraphQLInputType): GraphQLError {
  const message = `the variable $${name} of type ${String(type)} is required`
  return refusalError(new Refusal('InvalidParameter', message, { field: name }))
}
