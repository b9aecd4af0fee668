import { literal, sql, type Text, toSql } from './text.ts'

/** JSON text of one value; with `nullable` it can be null, which is written as such or left out. */
export interface Leaf {
  text: Text
  nullable?: boolean
}

/**
 * A type of the graph as SQL: leaves are over the noun's fixed alias, children wrap the text of another noun.
 * What is not listed here is not hot: a document that asks for it is executed by the ordinary resolvers.
 */
export interface Noun {
  /** The graph's name of it. */
  name: string
  leaves: Readonly<Record<string, Leaf>>
  children: Readonly<Record<string, Child>>
}

export interface Child {
  noun: () => Noun
  /** JSON text of the field, never null, from that of one item. */
  wrap: (item: Text) => Text
  /** Fields of the child that only the token store knows: they are right only if it has every token of the order. */
  needsTokens?: ReadonlySet<string>
}

/** A selection in the graph's words: response key, field, and what is asked of it. */
export interface Selected {
  key: string
  field: string
  selection: readonly Selected[]
}

/** The parts of a statement that a selection becomes. */
export interface SelectionSql {
  text: Text
  needsTokens: boolean
}

/** `undefined` when something asked for is not hot. */
export function selectionSql(noun: Noun, selection: readonly Selected[]): SelectionSql | undefined {
  let needsTokens = false
  const members: Record<string, Text> = {}
  for (const { key, field, selection: inner } of selection) {
    const leaf = field === '__typename' ? { text: literal(`"${noun.name}"`) } : noun.leaves[field]
    const child = noun.children[field]
    if (leaf !== undefined && inner.length === 0) members[key] = textOf(leaf)
    else if (child && inner.length > 0) {
      const nested = selectionSql(child.noun(), inner)
      if (!nested) return undefined
      needsTokens ||= nested.needsTokens || inner.some((item) => child.needsTokens?.has(item.field) ?? false)
      members[key] = child.wrap(nested.text)
    } else return undefined
  }
  return { text: objectOf(members), needsTokens }
}

export function textOf({ text, nullable }: Leaf): Text {
  return nullable ? sql(`coalesce(${toSql(text)}, 'null')`) : text
}

/** Keys in order; they need no escaping. `optional` members follow, and are left out where they are null. */
export function objectOf(
  members: Readonly<Record<string, Text>>,
  optional: Readonly<Record<string, Leaf>> = {},
): Text {
  const always = Object.entries(members).flatMap(([key, text], index) => [
    ...literal(`${index === 0 ? '' : ','}"${key}":`),
    ...text,
  ])
  const perhaps = Object.entries(optional).flatMap(([key, { text }]) =>
    sql(`coalesce(${toSql([...literal(`,"${key}":`), ...text])}, '')`),
  )
  return [...literal('{'), ...always, ...perhaps, ...literal('}')]
}

export function textsOf(leaves: Readonly<Record<string, Leaf>>): Record<string, Text> {
  return Object.fromEntries(Object.entries(leaves).map(([key, leaf]) => [key, textOf(leaf)]))
}
