/** JSON text of one value; with `nullable` the expression can be null, which is written as such or left out. */
export interface Leaf {
  sql: string
  nullable?: boolean
}

/**
 * A type of the graph as SQL: leaves are expressions over the noun's fixed alias, children wrap the text of another noun.
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
  sql: (item: string) => string
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
  text: string
  needsTokens: boolean
}

/** `undefined` when something asked for is not hot. */
export function selectionSql(noun: Noun, selection: readonly Selected[]): SelectionSql | undefined {
  let needsTokens = false
  const members: Record<string, string> = {}
  for (const { key, field, selection: inner } of selection) {
    const leaf = field === '__typename' ? { sql: `'"${noun.name}"'` } : noun.leaves[field]
    const child = noun.children[field]
    if (leaf !== undefined && inner.length === 0) members[key] = textOf(leaf)
    else if (child && inner.length > 0) {
      const nested = selectionSql(child.noun(), inner)
      if (!nested) return undefined
      needsTokens ||= nested.needsTokens || inner.some((item) => child.needsTokens?.has(item.field) ?? false)
      members[key] = child.sql(nested.text)
    } else return undefined
  }
  return { text: objectOf(members), needsTokens }
}

export function textOf({ sql, nullable }: Leaf): string {
  return nullable ? `coalesce(${sql}, 'null')` : `(${sql})`
}

/** Keys in order. No expression may be null. `optional` members follow, and are left out where they are. */
export function objectOf(
  members: Readonly<Record<string, string>>,
  optional: Readonly<Record<string, Leaf>> = {},
): string {
  const always = Object.entries(members).map(
    ([key, text], index) => `'${index === 0 ? '{' : ','}"${key}":' || ${text}`,
  )
  const perhaps = Object.entries(optional).map(([key, { sql }]) => `coalesce(',"${key}":' || ${sql}, '')`)
  return `(${[...always, ...perhaps, `'}'`].join(' || ')})`
}

export function textsOf(leaves: Readonly<Record<string, Leaf>>): Record<string, string> {
  return Object.fromEntries(Object.entries(leaves).map(([key, leaf]) => [key, textOf(leaf)]))
}
