/**
 * A type of the graph as SQL: leaves are expressions over the noun's fixed alias, children wrap the JSON of another noun.
 * What is not listed here is not hot: a document that asks for it is executed by the ordinary resolvers.
 */
export interface Noun {
  /** The graph's name of it. */
  name: string
  leaves: Readonly<Record<string, string>>
  children: Readonly<Record<string, Child>>
}

export interface Child {
  noun: () => Noun
  /** The expression of the field, from the JSON expression of one item. */
  sql: (json: string) => string
  /** What of the child needs the token store to know the tokens of the order: those fields. */
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
  json: string
  /** Some field is only right if every token of the order is stored. */
  needsTokens: boolean
}

/** `undefined` when something asked for is not hot. */
export function selectionSql(noun: Noun, selection: readonly Selected[]): SelectionSql | undefined {
  let needsTokens = false
  const pairs: string[] = []
  for (const { key, field, selection: inner } of selection) {
    const leaf = field === '__typename' ? `'${noun.name}'` : noun.leaves[field]
    const child = noun.children[field]
    if (leaf !== undefined && inner.length === 0) pairs.push(`'${key}', ${leaf}`)
    else if (child && inner.length > 0) {
      const nested = selectionSql(child.noun(), inner)
      if (!nested) return undefined
      needsTokens ||= nested.needsTokens || inner.some((item) => child.needsTokens?.has(item.field) ?? false)
      pairs.push(`'${key}', ${child.sql(nested.json)}`)
    } else return undefined
  }
  return { json: objectOf(pairs), needsTokens }
}

/** A function takes 100 arguments at most. */
const mostPairs = 50

/** One object of any size, keys in order. */
export function objectOf(pairs: readonly string[]): string {
  if (pairs.length <= mostPairs) return `json_build_object(${pairs.join(', ')})`
  return mergeObjects(objectOf(pairs.slice(0, mostPairs)), objectOf(pairs.slice(mostPairs)))
}

/** Two objects, neither empty, as one. */
function mergeObjects(first: string, second: string): string {
  return `(left(${first}::text, -1) || ', ' || substr(${second}::text, 2))::json`
}

/** An object whose `optional` members are left out where they are null. `always` is not empty. */
export function objectWithOptional(
  always: readonly string[],
  optional: Readonly<Record<string, string>>,
): string {
  const pieces = Object.entries(optional).map(([key, value]) => `',"${key}":' || to_json(${value})::text`)
  // concat takes a null piece for nothing.
  return `(left(${objectOf(always)}::text, -1) || concat(${pieces.join(', ')}) || '}')::json`
}

export function pairsOf(leaves: Readonly<Record<string, string>>): string[] {
  return Object.entries(leaves).map(([key, value]) => `'${key}', ${value}`)
}
