import {
  BREAK,
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  Lexer,
  type SelectionNode,
  type SelectionSetNode,
  Source,
  TokenKind,
  visit,
} from 'graphql'

/** Large enough for the whole introspection query and for a debug report twelve levels deep. */
export const documentLimits = {
  characters: 65_536,
  lines: 2_000,
  tokens: 2_000,
  brackets: 200,
  operations: 50,
  /** Selections with all fragments expanded. */
  selections: 2_000,
  /** Nested fields; the validation rules limit introspection. */
  depth: 16,
  aliases: 50,
  /** Pairs of fields that validation compares, because they may conflict in the response. */
  comparisons: 5_000,
  errors: 10,
}

const tooManyAliases = `it holds more than ${documentLimits.aliases} aliases`

const opening: readonly string[] = [TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]
const closing: readonly string[] = [TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]

/**
 * The limit that a text exceeds, as a message. Checked before parsing: parser and rules recurse, so deep
 * nesting could overflow the stack.
 */
export function excessOfText(text: string): string | undefined {
  const { characters, lines, tokens, brackets, aliases } = documentLimits
  if (text.length > characters) return `it is longer than ${characters} characters`
  const lexer = new Lexer(new Source(text))
  let depth = 0
  let parentheses = 0
  let colons = 0
  try {
    for (let count = 0; lexer.advance().kind !== TokenKind.EOF; count++) {
      const { kind } = lexer.token
      if (opening.includes(kind)) depth++
      if (closing.includes(kind)) depth--
      if (kind === TokenKind.PAREN_L) parentheses++
      if (kind === TokenKind.PAREN_R) parentheses--
      // Inside parentheses, a colon belongs to an argument or a variable.
      if (kind === TokenKind.COLON && parentheses === 0) colons++
      if (depth > brackets) return `it nests more than ${brackets} brackets`
      if (colons > aliases) return tooManyAliases
      if (count >= tokens) return `it holds more than ${tokens} tokens`
      if (lexer.line > lines) return `it has more than ${lines} lines`
    }
  } catch {
    // Not GraphQL: the parser reports the position.
  }
  return undefined
}

interface Size {
  selections: number
  aliases: number
  depth: number
}

/**
 * The limit that a document exceeds, as a message. Checked before validation: the rules walk the document
 * several times, and compare all fields that may conflict.
 * @returns `circular` when a fragment spreads itself, so that it has no size
 */
export function excessOf(document: DocumentNode): string | 'circular' | undefined {
  const fragments = fragmentsOf(document)
  const sizes = new Map<string, Size | 'open'>()
  let circular = false

  function sizeOf(set: SelectionSetNode | undefined): Size {
    const size = { selections: 0, aliases: 0, depth: 0 }
    for (const node of set?.selections ?? []) {
      const inner =
        node.kind === Kind.FRAGMENT_SPREAD ? fragmentSize(node.name.value) : sizeOf(node.selectionSet)
      size.selections += 1 + inner.selections
      size.aliases += inner.aliases + (isAliased(node) ? 1 : 0)
      size.depth = Math.max(size.depth, inner.depth + (node.kind === Kind.FIELD ? 1 : 0))
      if (isIntrospection(node)) size.depth = Math.max(1, size.depth - inner.depth)
    }
    return size
  }

  function fragmentSize(name: string): Size {
    const cached = sizes.get(name)
    if (cached === 'open') circular = true
    if (cached && cached !== 'open') return cached
    if (cached) return { selections: 0, aliases: 0, depth: 0 }
    sizes.set(name, 'open')
    const size = sizeOf(fragments.get(name)?.selectionSet)
    sizes.set(name, size)
    return size
  }

  const total = { selections: 0, aliases: 0, depth: 0 }
  for (const item of document.definitions) {
    if (!('selectionSet' in item)) continue
    const size =
      item.kind === Kind.FRAGMENT_DEFINITION ? fragmentSize(item.name.value) : sizeOf(item.selectionSet)
    total.selections += size.selections
    total.aliases = Math.max(total.aliases, size.aliases)
    total.depth = Math.max(total.depth, size.depth)
  }
  if (circular) return 'circular'
  const { operations, selections, depth, aliases, comparisons } = documentLimits
  if (document.definitions.length - fragments.size > operations)
    return `it holds more than ${operations} operations`
  if (total.selections > selections) return 'its fragments multiply'
  if (total.depth > depth) return `it is more than ${depth} fields deep`
  if (total.aliases > aliases) return tooManyAliases
  if (countComparisons(document, fragments) > comparisons) return 'it asks for the same fields too often'
  return undefined
}

function isAliased(node: SelectionNode): boolean {
  return node.kind === Kind.FIELD && node.alias !== undefined && node.name.value !== '__typename'
}

function isIntrospection(node: SelectionNode): boolean {
  return node.kind === Kind.FIELD && (node.name.value === '__schema' || node.name.value === '__type')
}

/**
 * Counts pairs that validation compares: fields of one response key, and fragments of one selection with each
 * other and with its fields. Stops over the limit.
 */
function countComparisons(
  document: DocumentNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): number {
  let pairs = 0

  function walk(sets: readonly SelectionSetNode[]): void {
    const fieldsByKey = new Map<string, { count: number; sets: SelectionSetNode[] }>()
    const spread = new Set<string>()
    let fields = 0
    const collect = (set: SelectionSetNode | undefined) => {
      for (const node of set?.selections ?? []) {
        if (node.kind === Kind.FIELD) {
          const key = (node.alias ?? node.name).value
          const group = fieldsByKey.get(key) ?? { count: 0, sets: [] }
          pairs += group.count++
          fields++
          if (node.selectionSet) group.sets.push(node.selectionSet)
          fieldsByKey.set(key, group)
        } else if (node.kind === Kind.INLINE_FRAGMENT) collect(node.selectionSet)
        else if (!spread.has(node.name.value)) {
          spread.add(node.name.value)
          collect(fragments.get(node.name.value)?.selectionSet)
        }
      }
    }
    for (const set of sets) collect(set)
    pairs += (spread.size * (spread.size + fields)) / 2
    for (const { sets: below } of fieldsByKey.values()) {
      if (pairs > documentLimits.comparisons) return
      if (below.length > 0) walk(below)
    }
  }

  for (const item of document.definitions) if ('selectionSet' in item) walk([item.selectionSet])
  return pairs
}

export function fragmentsOf({ definitions }: DocumentNode): Map<string, FragmentDefinitionNode> {
  return new Map(
    definitions.flatMap((item) => (item.kind === Kind.FRAGMENT_DEFINITION ? [[item.name.value, item]] : [])),
  )
}

export function hasDirectives(document: DocumentNode): boolean {
  let found = false
  visit(document, {
    Directive() {
      found = true
      return BREAK
    },
  })
  return found
}
