import {
  coerceInputValue,
  type ExecutionArgs,
  type GraphQLError,
  getOperationAST,
  isInputType,
  isNonNullType,
  typeFromAST,
} from 'graphql'
import { Refusal } from '../domain/error.ts'
import { refusalError, variableError } from './errors.ts'
import { fieldOf } from './refusal.ts'

/**
 * What is wrong with the variables of an operation that was refused for them, with the field each fault stands at:
 * graphql-js tells the place in prose only.
 */
export function variableFaults({
  schema,
  document,
  operationName,
  variableValues,
}: ExecutionArgs): GraphQLError[] {
  const operation = getOperationAST(document, operationName)
  const faults: GraphQLError[] = []
  for (const { variable, type: typeNode, defaultValue } of operation?.variableDefinitions ?? []) {
    const name = variable.name.value
    const type = typeFromAST(schema, typeNode)
    if (!type || !isInputType(type)) continue
    const value = variableValues?.[name]
    if (value === undefined) {
      if (isNonNullType(type) && !defaultValue) faults.push(missing(name))
      continue
    }
    coerceInputValue(value, type, (path, _value, error) => {
      const absent = /^Field "(\w+)"/.exec(error.message)?.[1]
      faults.push(variableError(error, fieldOf([name, ...path, ...(absent ? [absent] : [])], [name])))
    })
  }
  return faults
}

function missing(name: string): GraphQLError {
  return refusalError(new Refusal('InvalidParameter', `${name} is required`, { field: name }))
}
