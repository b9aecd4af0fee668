import {
  coerceInputValue,
  type ExecutionArgs,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  isInputType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql'
import { Refusal } from '../../domain/errors/error.ts'
import { nestsDeeper } from '../../domain/json-text.ts'
import { fieldOf } from '../../graphql/errors/input.ts'
import { refusalError, variableError } from '../../graphql/errors/mask.ts'

/**
 * Values in each other, and on the way down to the deepest. A list of what may be named at once has some
 * hundred.
 */
export const variableLimits = { values: 2_000, depth: 32, errors: 10 }

/** Of a body: room for variables and extensions in it. */
const maxLevels = variableLimits.depth + 4

/** @throws Refusal for JSON that is nested too deeply to be worth parsing */
export function checkNesting(text: string): void {
  if (nestsDeeper(text, maxLevels)) throw tooMuch()
}

/** Why variables are refused as they came, before anything walks through them by calling itself. */
export function excessOfVariables(variables: unknown): Refusal | undefined {
  let level = [variables]
  let values = 0
  for (let depth = 0; level.length > 0; depth++) {
    const below: unknown[] = []
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue
      values += Array.isArray(value) ? value.length : Object.keys(value).length
      if (values > variableLimits.values || depth > variableLimits.depth) return tooMuch()
      for (const inner of Object.values(value)) below.push(inner)
    }
    level = below
  }
  return undefined
}

function tooMuch(): Refusal {
  const { values, depth } = variableLimits
  const message = `the variables are over a limit: ${values} values, ${depth} levels deep`
  return new Refusal('QueryTooComplex', message, { field: 'variables' })
}

/** As execution coerces them; `undefined` when it would complain. */
export function coerceVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): Record<string, unknown> | undefined {
  return getVariableValues(schema, variableDefinitions, variables, { maxErrors: 1, hideSuggestions: true })
    .coerced
}

/** Ends a search that has found enough. */
class EnoughFaults extends Error {}

/**
 * What is wrong with the variables of an operation that was refused for them, with the field each fault
 * stands at: graphql-js tells the place in prose only.
 * @param suggests whether faults name what may have been meant
 */
export function variableFaults(
  { schema, document, operationName, variableValues }: ExecutionArgs,
  suggests: boolean,
): GraphQLError[] {
  const operation = getOperationAST(document, operationName)
  const faults: GraphQLError[] = []
  const add = (fault: GraphQLError) => {
    if (faults.push(fault) >= variableLimits.errors) throw new EnoughFaults()
  }
  try {
    for (const { variable, type: typeNode, defaultValue } of operation?.variableDefinitions ?? []) {
      const name = variable.name.value
      const type = typeFromAST(schema, typeNode)
      if (!type || !isInputType(type)) continue
      const value = variableValues?.[name]
      if (value === undefined) {
        if (isNonNullType(type) && !defaultValue) add(missing(name))
        continue
      }
      const report: Parameters<typeof coerceInputValue>[2] = (path, _value, error) => {
        const absent = /^Field "(\w+)" (?!must be)/.exec(error.message)?.[1]
        add(variableError(error, fieldOf([name, ...path, ...(absent ? [absent] : [])], [name])))
      }
      coerceInputValue(value, type, report, !suggests)
    }
  } catch (error) {
    if (!(error instanceof EnoughFaults)) throw error
  }
  return faults
}

function missing(name: string): GraphQLError {
  return refusalError(new Refusal('InvalidParameter', `${name} is required`, { field: name }))
}
