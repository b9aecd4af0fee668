import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isObjectType,
  type SelectionSetNode,
} from 'graphql'
import type { Relation } from '../../storage/query/model.ts'
import type { Selected, Selection } from '../../storage/query/selected.ts'
import { applies, fieldsOf } from './merged-fields.ts'
import { type StoredField, storedFieldOf } from './stored-field.ts'

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

/** A relation whose rows depend on the request. */
export interface SlotField extends Pick<StoredField, 'given'> {
  relation: Relation
  field: GraphQLField<unknown, unknown>
  node: FieldNode
}

/** What is stored of a field's selection, with the places that depend on the request. */
export interface Collected {
  item: Selected
  slots: readonly SlotField[]
  /** Whether all of it is stored: then nothing has to be executed. */
  isPure: boolean
}

interface Document {
  schema: GraphQLSchema
  fragments: Fragments
  /** For conditions alone. */
  variables: Record<string, unknown>
}

/** The nodes of one response key. */
export type Nodes = readonly [FieldNode, ...FieldNode[]]

/** `undefined` where the field is not stored. */
export function collect(parent: GraphQLObjectType, nodes: Nodes, document: Document): Collected | undefined {
  const collecting = new Collecting(document)
  const [node] = nodes
  const field = parent.getFields()[node.name.value]
  const stored = field && storedFieldOf(field)
  if (!field || !stored || stored === 'page part') return undefined
  const item = collecting.field(field, stored, nodes)
  return { item, slots: collecting.slots, isPure: collecting.isPure }
}

/** The same of an object of a type, which somebody else found. */
export function collectObject(
  type: GraphQLOutputType,
  nodes: Nodes,
  document: Document,
): Omit<Collected, 'item'> & { item: Selection } {
  const collecting = new Collecting(document)
  const item = collecting.object(type, setsOf(nodes))
  return { item, slots: collecting.slots, isPure: collecting.isPure }
}

class Collecting {
  readonly slots: SlotField[] = []
  isPure = true

  constructor(private readonly document: Document) {}

  object(outer: GraphQLOutputType, sets: readonly SelectionSetNode[]): Selection {
    const type = getNamedType(outer)
    if (isObjectType(type)) return { selection: this.selection(type, sets) }
    if (!isAbstractType(type)) return { selection: [] }
    const possible = this.document.schema.getPossibleTypes(type)
    return {
      selection: [],
      variants: Object.fromEntries(possible.map((each) => [each.name, this.selection(each, sets)])),
    }
  }

  field(field: GraphQLField<unknown, unknown>, { is, given }: StoredField, nodes: Nodes): Selected {
    const [node] = nodes
    const item = { key: (node.alias ?? node.name).value, field: field.name, is }
    if ('codec' in is || is.kind === 'values') return { ...item, selection: [] }
    const slot = needsSlot(is, given)
      ? this.slots.push({ relation: is, field, node, ...(given && { given }) }) - 1
      : undefined
    return { ...item, ...(slot !== undefined && { slot }), ...this.object(field.type, setsOf(nodes)) }
  }

  private selection(type: GraphQLObjectType, sets: readonly SelectionSetNode[]): Selected[] {
    const { schema, fragments, variables } = this.document
    const fields = fieldsOf(sets, variables, fragments, applies(schema, type))
    return [...fields].map(([key, nodes]) => this.member(type, key, nodes))
  }

  private member(type: GraphQLObjectType, key: string, nodes: Nodes): Selected {
    const name = nodes[0].name.value
    const field = type.getFields()[name]
    if (!field) return { key, field: name, selection: [] }
    const stored = storedFieldOf(field)
    if (stored === 'page part') return { key, field: name, ...this.object(field.type, setsOf(nodes)) }
    if (stored) return this.field(field, stored, nodes)
    this.isPure = false
    return { key, field: name, is: 'outside', selection: [] }
  }
}

/** `given` is asked even where the rows need nothing of it: it may refuse. */
function needsSlot(relation: Relation, given: StoredField['given']): boolean {
  if (given) return true
  return relation.kind === 'page' || (relation.kind !== 'same' && typeof relation.rows === 'function')
}

function setsOf(nodes: Nodes): SelectionSetNode[] {
  return nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
}
