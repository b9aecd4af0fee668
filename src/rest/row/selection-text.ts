import {
  type DocumentNode,
  type GraphQLEnumType,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getOperationAST,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isObjectType,
  Kind,
  type SelectionSetNode,
  typeFromAST,
} from 'graphql'

/** Enum members are SCREAMING_CASE in the graph and the interface's words in REST: the words are their values. */
export interface EnumSpelling {
  /** Raw JSON to variables: words become names, and keys that the graph does not know are left out. */
  toVariables(variables: Record<string, unknown>): Record<string, unknown>
  /** A result to REST: names become words. Changes the result in place. */
  toSpelling<Data>(data: Data): Data
}

export function compileEnumSpelling(schema: GraphQLSchema, document: DocumentNode): EnumSpelling {
  const operation = getOperationAST(document)
  const root = operation && schema.getRootType(operation.operation)
  if (!operation || !root) throw new Error('a REST document must hold one operation')
  const plan = planOf(operation.selectionSet, root, document)
  const inputs = (operation.variableDefinitions ?? []).map(({ variable, type }) => {
    const known = typeFromAST(schema, type)
    return [variable.name.value, known && isInputType(known) ? known : undefined] as const
  })
  return {
    toVariables: (variables) =>
      Object.fromEntries(
        inputs.map(([name, type]) => [name, type ? toInput(type, variables[name]) : variables[name]]),
      ),
    toSpelling(data) {
      respell(data, plan)
      return data
    },
  }
}

function toInput(outer: GraphQLInputType, value: unknown): unknown {
  const type = getNullableType(outer)
  if (value === undefined || value === null) return value
  if (isListType(type)) return Array.isArray(value) ? value.map((item) => toInput(type.ofType, item)) : value
  if (isEnumType(type)) return type.getValues().find((member) => member.value === value)?.name ?? value
  if (!isInputObjectType(type) || typeof value !== 'object') return value
  const fields = Object.values(type.getFields())
  const variables = value as Record<string, unknown>
  return Object.fromEntries(
    fields
      .filter(({ name }) => variables[name] !== undefined)
      .map(({ name, type }) => [name, toInput(type, variables[name])]),
  )
}

/** What to do with each key of a selection; keys without an enum below them are left out. */
type Plan = Map<string, GraphQLEnumType | Plan>

function planOf(selections: SelectionSetNode, parent: GraphQLObjectType, document: DocumentNode): Plan {
  const plan: Plan = new Map()
  for (const selection of selections.selections) {
    if (selection.kind !== Kind.FIELD) {
      const fragment =
        selection.kind === Kind.INLINE_FRAGMENT ? selection : fragmentOf(selection.name.value, document)
      if (fragment)
        for (const [key, step] of planOf(fragment.selectionSet, parent, document)) plan.set(key, step)
      continue
    }
    const field = parent.getFields()[selection.name.value]
    const type = field && getNamedType(field.type)
    const key = (selection.alias ?? selection.name).value
    if (isEnumType(type)) plan.set(key, type)
    if (!isObjectType(type) || !selection.selectionSet) continue
    const inner = planOf(selection.selectionSet, type, document)
    if (inner.size > 0) plan.set(key, inner)
  }
  return plan
}

function fragmentOf(name: string, document: DocumentNode) {
  return document.definitions.find(
    (definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === name,
  ) as { selectionSet: SelectionSetNode } | undefined
}

function respell(value: unknown, plan: Plan): void {
  if (Array.isArray(value)) {
    for (const item of value) respell(item, plan)
  } else if (typeof value === 'object' && value !== null) {
    const fields = value as Record<string, unknown>
    for (const [key, step] of plan) {
      if (step instanceof Map) respell(fields[key], step)
      else fields[key] = toValue(fields[key], step)
    }
  }
}

function toValue(value: unknown, type: GraphQLEnumType): unknown {
  if (Array.isArray(value)) return value.map((item) => toValue(item, type))
  return typeof value === 'string' ? type.getValue(value)?.value : value
}
