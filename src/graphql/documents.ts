import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases'
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth'
import {
  type ASTNode,
  BREAK,
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  Lexer,
  parse,
  type SelectionSetNode,
  Source,
  specifiedRules,
  TokenKind,
  type ValidationContext,
  type ValidationRule,
  validate,
  visit,
} from 'graphql'
import { Refusal } from '../domain/error.ts'
import { inputArguments } from './builder.ts'
import { queryError, refusalError } from './errors.ts'
import { fieldOf } from './refusal.ts'

/** Room for the whole introspection query and for a debug report walked twelve deep. */
export const documentLimits = {
  tokens: 4_000,
  brackets: 200,
  selections: 10_000,
  depth: 16,
  aliases: 50,
  errors: 20,
}

/** A parsed document takes some hundred bytes for each character of its text. */
const keptCharacters = 200_000

export interface Documents {
  /** @throws GraphQLError InvalidQuery, QueryTooComplex */
  parse(text: string): DocumentNode
  /** Every fault, as clients may see it. */
  validate(document: DocumentNode): readonly GraphQLError[]
  /** Reads a document of the program's own: no limits. @throws when it does not fit the schema */
  trust(text: string): DocumentNode
}

/** Parses and validates a text once, as long as it is used. */
export function createDocuments(schema: GraphQLSchema): Documents {
  const kept = new Map<string, DocumentNode>()
  const valid = new WeakSet<DocumentNode>()
  let characters = 0
  /** Most are asked for several times in a row, by one request too. */
  let latest: { text: string; document: DocumentNode } | undefined

  function keep(text: string, document: DocumentNode): void {
    kept.set(text, document)
    characters += text.length
    for (const oldest of kept.keys()) {
      if (characters <= keptCharacters) break
      kept.delete(oldest)
      characters -= oldest.length
    }
  }

  return {
    parse(text) {
      if (latest?.text === text) return latest.document
      const known = kept.get(text)
      if (known) kept.delete(text)
      const document = known ?? parseBounded(text)
      if (known) kept.set(text, known)
      else keep(text, document)
      latest = { text, document }
      return document
    },

    validate(document) {
      if (valid.has(document)) return []
      if (selectionsOf(document) > documentLimits.selections) {
        return [refusalError(tooComplex('its fragments multiply'))]
      }
      const errors = validate(schema, document, limitedRules, { maxErrors: documentLimits.errors })
      if (errors.length === 0) valid.add(document)
      return errors.map((error) => queryError(error, fieldAt(document, error.nodes?.[0])))
    },

    trust(text) {
      const document = parse(text, { noLocation: true })
      const [error] = validate(schema, document)
      if (error) throw error
      valid.add(document)
      return document
    },
  }
}

function parseBounded(text: string): DocumentNode {
  if (isNestedOver(text, documentLimits.brackets)) {
    throw refusalError(tooComplex(`it nests more than ${documentLimits.brackets} brackets`))
  }
  try {
    return parse(text, { maxTokens: documentLimits.tokens })
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    if (!error.message.includes('Parsing aborted')) throw queryError(error)
    throw refusalError(tooComplex(`it holds more than ${documentLimits.tokens} tokens`))
  }
}

/** The parser, and all that comes after it, descends by calling itself: what is too deep would end its stack. */
function isNestedOver(text: string, limit: number): boolean {
  const lexer = new Lexer(new Source(text))
  let depth = 0
  try {
    for (let count = 0; count <= documentLimits.tokens; count++) {
      const { kind } = lexer.advance()
      if (kind === TokenKind.EOF) return false
      if (kind === TokenKind.BRACE_L || kind === TokenKind.BRACKET_L || kind === TokenKind.PAREN_L) depth++
      if (kind === TokenKind.BRACE_R || kind === TokenKind.BRACKET_R || kind === TokenKind.PAREN_R) depth--
      if (depth > limit) return true
    }
  } catch {
    // No GraphQL: the parser says where.
  }
  return false
}

/** Selections with every fragment written out where it is spread: the rules below walk them all. */
function selectionsOf({ definitions }: DocumentNode): number {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const item of definitions) {
    if (item.kind === Kind.FRAGMENT_DEFINITION) fragments.set(item.name.value, item)
  }
  const sizes = new Map<string, number>()
  const sizeOf = (set: SelectionSetNode | undefined): number => {
    let size = 0
    for (const node of set?.selections ?? []) {
      size +=
        1 + (node.kind === Kind.FRAGMENT_SPREAD ? fragmentSize(node.name.value) : sizeOf(node.selectionSet))
    }
    return size
  }
  const fragmentSize = (name: string): number => {
    const known = sizes.get(name)
    if (known !== undefined) return known
    // A cycle ends here; that it is one is told by validation.
    sizes.set(name, 0)
    const size = sizeOf(fragments.get(name)?.selectionSet)
    sizes.set(name, size)
    return size
  }
  return definitions.reduce((sum, item) => sum + ('selectionSet' in item ? sizeOf(item.selectionSet) : 0), 0)
}

function tooComplex(what: string): Refusal {
  return new Refusal('QueryTooComplex', `the document is over a limit: ${what}`)
}

/** The rules throw when they reject; reporting instead keeps every other fault of the document in the answer. */
function reporting(what: string) {
  const report = (context: ValidationContext | null) => {
    context?.reportError(refusalError(tooComplex(what)))
  }
  return { propagateOnRejection: false, onReject: [report] }
}

const limitedRules: ValidationRule[] = [
  ...specifiedRules,
  maxDepthRule({
    n: documentLimits.depth,
    flattenFragments: true,
    ...reporting(`it is more than ${documentLimits.depth} fields deep`),
  }),
  maxAliasesRule({
    n: documentLimits.aliases,
    ...reporting(`it holds more than ${documentLimits.aliases} aliases`),
  }),
]

/** The argument or input field that a literal stands in. */
function fieldAt(document: DocumentNode, node: ASTNode | undefined): string | undefined {
  const path: string[] = []
  visit(document, {
    enter(current, _key, parent, _path, ancestors) {
      if (current !== node) return undefined
      for (const ancestor of [...ancestors, parent ?? []]) {
        if ('kind' in ancestor && (ancestor.kind === Kind.ARGUMENT || ancestor.kind === Kind.OBJECT_FIELD)) {
          path.push(ancestor.name.value)
        }
      }
      return BREAK
    },
  })
  return path.length > 0 ? fieldOf(path, inputArguments) : undefined
}
