import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLEnumType,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getOperationAST,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isUnionType,
  Kind,
  type SelectionSetNode,
  typeFromAST,
} from 'graphql'

/** Conversions of enums: GraphQL spells members in SCREAMING_CASE, REST by their internal values. */
interface EnumSpelling {
  /** Turns raw JSON into variables: REST spellings become GraphQL names, and unknown keys are left out. */
  toVariables(variables: Record<string, unknown>): Record<string, unknown>
  /** Turns the GraphQL names in a result into REST spellings, in place. */
  toRestSpelling<Data>(data: Data): Data
}

export function compileEnumSpelling(schema: GraphQLSchema, document: DocumentNode): EnumSpelling {
  const operation = getOperationAST(document)
  const root = operation && schema.getRootType(operation.operation)
  if (!operation || !root) throw new Error('a REST document must hold one operation')
  const plan = planOf(operation.selectionSet, root, { schema, document })
  const inputs = (operation.variableDefinitions ?? []).map(({ variable, type }) => {
    const inputType = typeFromAST(schema, type)
    return [variable.name.value, isInputType(inputType) ? inputOf(inputType) : unchanged] as const
  })
  return {
    toVariables: (variables) =>
      Object.fromEntries(inputs.map(([name, toInput]) => [name, toInput(variables[name])])),
    toRestSpelling(data) {
      applyPlan(data, plan)
      return data
    },
  }
}

const unchanged = (value: unknown) => value

/** Compiles the conversion of values of a type. Values of another form stay as they are. */
function inputOf(inputType: GraphQLInputType): (value: unknown) => unknown {
  const type = getNullableType(inputType)
  if (isListType(type)) {
    const toItem = inputOf(type.ofType)
    return (value) => (Array.isArray(value) ? value.map(toItem) : value)
  }
  if (isEnumType(type)) {
    const names = new Map(type.getValues().map(({ name, value }) => [value, name]))
    return (value) => names.get(value) ?? value
  }
  if (!isInputObjectType(type)) return unchanged
  const fields = Object.values(type.getFields()).map(({ name, type }) => [name, inputOf(type)] as const)
  return (value) => {
    if (typeof value !== 'object' || value === null) return value
    const given = value as Record<string, unknown>
    const named = fields.filter(([name]) => given[name] !== undefined)
    return Object.fromEntries(named.map(([name, toField]) => [name, toField(given[name])]))
  }
}

/** The enums in a selection, by response key; keys without an enum below them are left out. */
type Plan = Map<string, GraphQLEnumType | Plan>

interface Reading {
  schema: GraphQLSchema
  document: DocumentNode
}

/** @param parent an object, or a union or interface with fragments */
function planOf(
  selections: SelectionSetNode,
  parent: GraphQLCompositeType,
  { schema, document }: Reading,
): Plan {
  const plan: Plan = new Map()
  for (const selection of selections.selections) {
    if (selection.kind !== Kind.FIELD) {
      const fragment =
        selection.kind === Kind.INLINE_FRAGMENT ? selection : fragmentOf(selection.name.value, document)
      if (!fragment) continue
      const of = fragment.typeCondition && schema.getType(fragment.typeCondition.name.value)
      const inner = isCompositeType(of) ? of : parent
      for (const [key, step] of planOf(fragment.selectionSet, inner, { schema, document }))
        plan.set(key, step)
      continue
    }
    if (isUnionType(parent)) continue
    const field = parent.getFields()[selection.name.value]
    const type = field && getNamedType(field.type)
    const key = (selection.alias ?? selection.name).value
    if (isEnumType(type)) plan.set(key, type)
    if (!isCompositeType(type) || !selection.selectionSet) continue
    const nestedPlan = planOf(selection.selectionSet, type, { schema, document })
    if (nestedPlan.size > 0) plan.set(key, nestedPlan)
  }
  return plan
}

function fragmentOf(name: string, document: DocumentNode) {
  return document.definitions.find(
    (definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === name,
  ) as FragmentDefinitionNode | undefined
}

function applyPlan(value: unknown, plan: Plan): void {
  if (Array.isArray(value)) {
    for (const item of value) applyPlan(item, plan)
  } else if (typeof value === 'object' && value !== null) {
    const fields = value as Record<string, unknown>
    for (const [key, step] of plan) {
      if (step instanceof Map) applyPlan(fields[key], step)
      else if (key in fields) fields[key] = toRestValue(fields[key], step)
    }
  }
}

function toRestValue(value: unknown, type: GraphQLEnumType): unknown {
  if (Array.isArray(value)) return value.map((item) => toRestValue(item, type))
  return typeof value === 'string' ? type.getValue(value)?.value : value
}
