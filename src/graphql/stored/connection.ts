import type { PageRows } from '../../storage/query/model.ts'
import { countLimit } from '../../storage/query/page.ts'
import { builder } from '../builder.ts'
import { enumByName } from '../enums.ts'
import { PageInfoRef } from '../refs.ts'
import { type ModelRef, modelRef } from './model-ref.ts'
import { resolveStored, type StoredValue } from './resolve.ts'

const connections = new Map<string, unknown>()

const pagePart = { extensions: { isPagePart: true }, resolve: resolveStored as never }

/** The type of a list's edges. */
export function edgeRef(relation: PageRows): ModelRef {
  connectionOf(relation)
  return modelRef(`${relation.model().name}Edge`)
}

/** The connection type of a list; lists with the same connection name share it. */
export function connectionOf(relation: PageRows): unknown {
  const model = relation.model()
  const name = relation.connection ?? `${model.name}Connection`
  const known = connections.get(name)
  if (known) return known
  const connection = builder.objectRef<StoredValue>(name)
  const edge = modelRef(name.replace(/Connection$/, 'Edge'))
  const item = modelRef(model.name)
  connections.set(name, connection)
  edge.implement({
    description: `An item of ${name} in its place.`,
    fields: (t) => ({
      cursor: t.string({ description: 'A page goes on behind it, or ends before it.', ...pagePart }),
      node: t.field({ type: item, description: 'The item.', ...pagePart }),
    }),
  })
  const { edgeAlias } = relation
  if (edgeAlias)
    builder.objectField(edge, edgeAlias, (t) =>
      t.field({ type: item, description: 'Equal to node.', ...pagePart }),
    )
  connection.implement({
    description: `A page of a list of ${model.name}. Stable while items are added.`,
    fields: (t) => ({
      nodes: t.field({ type: [item], description: 'The items alone.', ...pagePart }),
      edges: t.field({ type: [edge], description: 'The items with their cursors.', ...pagePart }),
      pageInfo: t.field({
        type: PageInfoRef,
        description: 'Where the page stands in its list.',
        ...pagePart,
      }),
      totalCount: t.int({
        description: `How many items the whole list has, counted up to ${countLimit}: this number stands for so many or more.`,
        extensions: { ...pagePart.extensions, weight: 100 },
        resolve: pagePart.resolve,
      }),
    }),
  })
  builder.objectFields(connection, (t) =>
    Object.fromEntries(
      Object.entries(relation.fields ?? {}).map(([field, { codec, nullable, description, deprecated }]) => [
        field,
        t.field({
          type: (enumByName(codec.type) ?? codec.type) as 'String',
          nullable: nullable as false,
          description,
          ...(deprecated && { deprecationReason: deprecated }),
          ...pagePart,
        }),
      ]),
    ),
  )
  return connection
}
