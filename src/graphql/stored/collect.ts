import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  getNamedType,
  type InlineFragmentNode,
  isAbstractType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'
import type { Caller } from '../../http/caller.ts'
import type { Field, Relation, ValueList } from '../../storage/query/model.ts'
import type { Selected, Selection } from '../../storage/query/selection.ts'
import type { Services } from '../context/context.ts'
import type { TradingServices } from '../context/networks.ts'

export type Variables = Record<string, unknown>

/** Reports whether a fragment's type condition includes objects of `type`. */
export function typeConditionMatcher(schema: GraphQLSchema, type: GraphQLObjectType) {
  return (condition: string): boolean => {
    const conditionType = schema.getType(condition)
    return conditionType === type || (isAbstractType(conditionType) && schema.isSubType(conditionType, type))
  }
}

/** Fields as execution merges them: by response key, each fragment once. */
export function fieldsOf(
  sets: readonly SelectionSetNode[],
  variables: Variables,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  matchesType: (condition: string) => boolean = () => true,
): Map<string, [FieldNode, ...FieldNode[]]> {
  const fields = new Map<string, [FieldNode, ...FieldNode[]]>()
  const seen = new Set<string>()
  const collect = (set: SelectionSetNode | undefined) => {
    for (const node of set?.selections ?? []) {
      if (isSkipped(node, variables)) continue
      if (node.kind === Kind.FIELD) {
        const key = (node.alias ?? node.name).value
        const nodes = fields.get(key)
        if (nodes) nodes.push(node)
        else fields.set(key, [node])
      } else if (node.kind === Kind.INLINE_FRAGMENT) spread(node)
      else if (!seen.has(node.name.value)) {
        seen.add(node.name.value)
        spread(fragments.get(node.name.value))
      }
    }
  }
  const spread = (fragment: InlineFragmentNode | FragmentDefinitionNode | undefined) => {
    const condition = fragment?.typeCondition?.name.value
    if (condition === undefined || matchesType(condition)) collect(fragment?.selectionSet)
  }
  for (const set of sets) collect(set)
  return fields
}

function isSkipped(node: SelectionNode, variables: Variables): boolean {
  if (!node.directives?.length) return false
  return (
    getDirectiveValues(GraphQLSkipDirective, node, variables)?.if === true ||
    getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if === false
  )
}

/** Context of stored fields in addition to their arguments. */
export type Environment = Services & { restricted?: boolean } & Partial<
    Pick<Caller, 'apiKey' | 'partner' | 'addUnits'>
  >

/** `extensions.stored` of a schema field: the model's part that it reads. */
export interface StoredField {
  is: Field | Relation | ValueList
  /** Converts GraphQL arguments to those of the relation's `rows`. @throws Refusal */
  rowArguments?(args: object, environment: Environment): unknown
  /** Set for a list of an account: the networks whose orders of the account it is made of. @throws Refusal */
  listsFrom?: (args: Record<string, unknown>, environment: Environment) => readonly TradingServices[]
  /** Reports whether the value is that of another service: then its resolver has to run. @throws Refusal */
  isElsewhere?: (args: Record<string, unknown>, environment: Environment) => boolean
}

/** Fields that an unstored field's resolver needs (`extensions.needs`): its object's statement reads them. */
function neededFields({ extensions }: GraphQLField<unknown, unknown>): Selected['needs'] {
  return extensions.needs as Selected['needs']
}

/** Fields of connections and edges (`extensions.isPagePart`) are stored as parts of their relation. */
export function storedFieldOf({
  extensions,
}: GraphQLField<unknown, unknown>): StoredField | 'page part' | undefined {
  if (extensions.isPagePart === true) return 'page part'
  return extensions.stored as StoredField | undefined
}

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

/** A relation whose rows depend on the request. */
export interface SlotField extends Pick<StoredField, 'rowArguments' | 'listsFrom' | 'isElsewhere'> {
  relation: Relation
  field: GraphQLField<unknown, unknown>
  node: FieldNode
}

/** The stored part of a field's selection, and the relations in it that depend on the request. */
export interface Collected {
  item: Selected
  slots: readonly SlotField[]
  /** True if every selected field is stored: then no resolver has to run. */
  isFullyStored: boolean
}

/** The document's fragments and the request's variables, for reading a selection. */
export interface OperationScope {
  schema: GraphQLSchema
  fragments: Fragments
  /** Coerced. */
  variables: Record<string, unknown>
}

/** The nodes of one response key. */
export type Nodes = readonly [FieldNode, ...FieldNode[]]

/** Undefined for a field that is not stored. */
export function collect(
  parent: GraphQLObjectType,
  nodes: Nodes,
  scope: OperationScope,
): Collected | undefined {
  const collector = new SelectionCollector(scope)
  const [node] = nodes
  const field = parent.getFields()[node.name.value]
  const stored = field && storedFieldOf(field)
  if (!field || !stored || stored === 'page part') return undefined
  const item = collector.field(field, stored, nodes)
  return { item, slots: collector.slots, isFullyStored: collector.isFullyStored }
}

/** The same for the selection of an object that a resolver found. */
export function collectObject(
  type: GraphQLOutputType,
  nodes: Nodes,
  scope: OperationScope,
): Omit<Collected, 'item'> & { item: Selection } {
  const collector = new SelectionCollector(scope)
  const item = collector.object(type, setsOf(nodes))
  return { item, slots: collector.slots, isFullyStored: collector.isFullyStored }
}

class SelectionCollector {
  readonly slots: SlotField[] = []
  isFullyStored = true

  constructor(private readonly scope: OperationScope) {}

  object(outer: GraphQLOutputType, sets: readonly SelectionSetNode[]): Selection {
    const type = getNamedType(outer)
    if (isObjectType(type)) return { selection: this.selection(type, sets) }
    if (!isAbstractType(type)) return { selection: [] }
    const possible = this.scope.schema.getPossibleTypes(type)
    return {
      selection: [],
      variants: Object.fromEntries(possible.map((each) => [each.name, this.selection(each, sets)])),
    }
  }

  field(field: GraphQLField<unknown, unknown>, stored: StoredField, nodes: Nodes): Selected {
    const { is, rowArguments, listsFrom, isElsewhere } = stored
    const [node] = nodes
    const item = { key: (node.alias ?? node.name).value, field: field.name, is }
    if ('codec' in is || is.kind === 'values') return { ...item, selection: [] }
    const slot = needsSlot(is, rowArguments)
      ? this.slots.push({
          relation: is,
          field,
          node,
          ...(rowArguments && { rowArguments }),
          ...(listsFrom && { listsFrom }),
          ...(isElsewhere && { isElsewhere }),
        }) - 1
      : undefined
    return { ...item, ...(slot !== undefined && { slot }), ...this.object(field.type, setsOf(nodes)) }
  }

  private selection(type: GraphQLObjectType, sets: readonly SelectionSetNode[]): Selected[] {
    const { schema, fragments, variables } = this.scope
    const fields = fieldsOf(sets, variables, fragments, typeConditionMatcher(schema, type))
    return [...fields].map(([key, nodes]) => this.member(type, key, nodes))
  }

  private member(type: GraphQLObjectType, key: string, nodes: Nodes): Selected {
    const name = nodes[0].name.value
    const field = type.getFields()[name]
    if (!field) return { key, field: name, selection: [] }
    const stored = storedFieldOf(field)
    if (stored === 'page part') return { key, field: name, ...this.object(field.type, setsOf(nodes)) }
    if (stored) return this.field(field, stored, nodes)
    this.isFullyStored = false
    const needs = neededFields(field)
    return { key, field: name, is: 'outside', ...(needs && { needs }), selection: [] }
  }
}

/** Relations with `rowArguments` always have a slot, because `rowArguments` may throw a Refusal. */
function needsSlot(relation: Relation, rowArguments: StoredField['rowArguments']): boolean {
  if (rowArguments) return true
  return relation.kind === 'page' || (relation.kind !== 'same' && typeof relation.rows === 'function')
}

function setsOf(nodes: Nodes): SelectionSetNode[] {
  return nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
}
