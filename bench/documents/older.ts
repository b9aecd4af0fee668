import {
  type ArgumentNode,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isLeafType,
  isListType,
  isUnionType,
  Kind,
  parse,
  print,
  type SelectionNode,
  type SelectionSetNode,
  validate,
} from 'graphql'

/** A document that a schema cannot express. */
export class Unfit extends Error {}

/** Fields of the present schema by their former names; null for new fields. */
const olderNames: Readonly<Record<string, string | null>> = {
  'AuctionReport.auctionId': 'id',
  'SettlementAttempt.detail': null,
  'OrderEvent.detail': null,
}

/** A page size that holds every list of the bench, so that a list without arguments has the same items. */
const wholeList = 20

/**
 * Translates a document of the present schema to that of a server: a connection's nodes become list items and
 * an object becomes a leaf if it was one there. A document that already fits is unchanged.
 * @throws Unfit when the older schema has no equal document
 */
export function fitToSchema(text: string, schema: GraphQLSchema): string {
  const document = parse(text)
  if (validate(schema, document).length === 0) return text
  const definitions = document.definitions.map((definition) => {
    if (definition.kind === Kind.OPERATION_DEFINITION) {
      const root = schema.getRootType(definition.operation)
      if (!root) throw new Unfit(`no ${definition.operation}`)
      return { ...definition, selectionSet: fitSelections(definition.selectionSet, root, schema) }
    }
    if (definition.kind !== Kind.FRAGMENT_DEFINITION) return definition
    const on = compositeType(definition.typeCondition.name.value, schema)
    return { ...definition, selectionSet: fitSelections(definition.selectionSet, on, schema) }
  })
  const fitted = { ...document, definitions }
  const [fault] = validate(schema, fitted)
  if (fault) throw new Unfit(fault.message)
  return print(fitted)
}

function compositeType(name: string, schema: GraphQLSchema): GraphQLCompositeType {
  const type = schema.getType(name)
  if (!isCompositeType(type)) throw new Unfit(`no type ${name}`)
  return type
}

function fitSelections(
  set: SelectionSetNode,
  parent: GraphQLCompositeType,
  schema: GraphQLSchema,
): SelectionSetNode {
  const selections = set.selections.flatMap((selection): SelectionNode[] => {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return [selection]
    if (selection.kind === Kind.FIELD) return fitField(selection, parent, schema)
    const on = selection.typeCondition ? compositeType(selection.typeCondition.name.value, schema) : parent
    return [{ ...selection, selectionSet: fitSelections(selection.selectionSet, on, schema) }]
  })
  return { ...set, selections }
}

function fitField(node: FieldNode, parent: GraphQLCompositeType, schema: GraphQLSchema): FieldNode[] {
  const name = node.name.value
  if (name === '__typename' || isUnionType(parent)) return [node]
  const older = olderNames[`${parent.name}.${name}`]
  const field = parent.getFields()[name] ?? (older ? parent.getFields()[older] : undefined)
  if (!field) {
    if (older === null) return []
    throw new Unfit(`${parent.name}.${name} does not exist`)
  }
  // An alias keeps the member's name in the answer.
  const renamed =
    field.name === name ? node : { ...node, alias: node.alias ?? node.name, name: named(field.name) }
  const { selectionSet, ...rest } = { ...renamed, arguments: fitArguments(renamed, parent, field) }
  const fitted = fitResult(selectionSet, field.type, schema)
  return [fitted ? { ...rest, selectionSet: fitted } : rest]
}

function fitArguments(
  node: FieldNode,
  parent: GraphQLCompositeType,
  { name, args }: GraphQLField<unknown, unknown>,
): ArgumentNode[] {
  return (node.arguments ?? []).flatMap((argument) => {
    const has = (wanted: string) => args.some((arg) => arg.name === wanted)
    if (has(argument.name.value)) return [argument]
    const { value } = argument
    const isFirst = argument.name.value === 'first' && value.kind === Kind.INT
    if (isFirst && has('limit')) return [{ ...argument, name: named('limit') }]
    if (isFirst && Number(value.value) >= wholeList) return []
    throw new Unfit(`${parent.name}.${name} has no argument ${argument.name.value}`)
  })
}

function fitResult(
  set: SelectionSetNode | undefined,
  of: GraphQLOutputType,
  schema: GraphQLSchema,
): SelectionSetNode | undefined {
  const type = getNamedType(of)
  if (isLeafType(type)) return undefined
  if (isAbstractType(type) && type.name === 'FeePolicy') return leavesOfEach(type.name, schema)
  if (!set) return fitSelections(select([leaf('address')]), type, schema)
  const isConnection = set.selections.some((node) => node.kind === Kind.FIELD && node.name.value === 'nodes')
  if (!isListType(getNullableType(of))) return fitSelections(set, type, schema)
  if (isConnection) return fitSelections(itemsOf(set), type, schema)
  if (set.selections.some((node) => node.kind === Kind.FIELD && node.name.value === 'edges'))
    throw new Unfit(`the list of ${type.name} has no pages`)
  return fitSelections(set, type, schema)
}

/** Returns the selection on a connection's nodes. */
function itemsOf(connection: SelectionSetNode): SelectionSetNode {
  const items = connection.selections.flatMap((node) => {
    if (node.kind !== Kind.FIELD) throw new Unfit('a list is no connection')
    if (node.name.value === '__typename') return []
    if (node.name.value !== 'nodes') throw new Unfit(`a list has no ${node.name.value}`)
    return node.selectionSet?.selections ?? []
  })
  return select(items)
}

/** Selects all leaves of all possible types, whatever their names. */
function leavesOfEach(name: string, schema: GraphQLSchema): SelectionSetNode {
  const type = schema.getType(name)
  const types = isAbstractType(type) ? schema.getPossibleTypes(type) : []
  const parts = types.map((each): SelectionNode => {
    const fields = Object.values(each.getFields()).filter(
      (field) => isLeafType(getNamedType(field.type)) && !field.deprecationReason,
    )
    // Types of one union may have the same member with two types.
    const leaves = fields.map((field) => ({
      ...leaf(field.name),
      alias: named(`${each.name}_${field.name}`),
    }))
    return {
      kind: Kind.INLINE_FRAGMENT,
      typeCondition: { kind: Kind.NAMED_TYPE, name: named(each.name) },
      selectionSet: select(leaves),
    }
  })
  return select([leaf('__typename'), ...parts])
}

const named = (value: string) => ({ kind: Kind.NAME, value }) as const
const leaf = (name: string): FieldNode => ({ kind: Kind.FIELD, name: named(name) })
const select = (selections: readonly SelectionNode[]): SelectionSetNode => ({
  kind: Kind.SELECTION_SET,
  selections,
})
