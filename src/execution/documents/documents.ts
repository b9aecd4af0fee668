import {
  type ASTNode,
  BREAK,
  type DirectiveNode,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  NoFragmentCyclesRule,
  OperationTypeNode,
  parse,
  type SelectionSetNode,
  specifiedRules,
  validate,
  visit,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import { Refusal } from '../../domain/errors/error.ts'
import { inputArguments } from '../../graphql/builder.ts'
import { fieldOf } from '../../graphql/errors/input.ts'
import { queryError, refusalError } from '../../graphql/errors/mask.ts'
import { documentLimits, excessOf, excessOfText, fragmentsOf } from './document-size.ts'

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

/** The one suggestion that graphql-js can't be told to leave out. */
const leafHint = / Did you mean "\w+ \{ \.\.\. \}"\?$/

/** An error made anew for everybody who is told: the doors write on it. */
type FaultMaker = () => GraphQLError

/**
 * Parses and validates a text once, as long as it is used; what is wrong with it is remembered too.
 * @param suggests whether faults name what may have been meant
 */
export function createDocuments(schema: GraphQLSchema, suggests: boolean): Documents {
  const kept = new LRUCache<string, DocumentNode | FaultMaker>({
    maxSize: keptCharacters,
    sizeCalculation: (_parsed, text) => Math.max(1, text.length),
  })
  const judged = new WeakMap<DocumentNode, readonly FaultMaker[]>()

  function judge(document: DocumentNode): readonly FaultMaker[] {
    const excess = excessOf(document)
    if (excess && excess !== 'circular') return [() => refusalError(tooComplex(excess))]
    const condition = conditionOnSubscription(document)
    if (condition) return [() => queryError(new GraphQLError(conditionalSubscription, { nodes: condition }))]
    const rules = excess ? [NoFragmentCyclesRule] : specifiedRules
    const options = { maxErrors: documentLimits.errors, hideSuggestions: !suggests }
    return validate(schema, document, rules, options).map((error) => {
      const field = error.originalError ? fieldAt(document, error.nodes?.[0]) : undefined
      const message = suggests ? error.message : error.message.replace(leafHint, '')
      return () => queryError(error, field, message)
    })
  }

  return {
    parse(text) {
      const known = kept.get(text)
      const parsed = known ?? parseBounded(text)
      if (!known) kept.set(text, parsed)
      if (!('kind' in parsed)) throw parsed()
      return parsed
    },

    validate(document) {
      const known = judged.get(document)
      const faults = known ?? judge(document)
      if (!known) judged.set(document, faults)
      return faults.map((report) => report())
    },

    trust(text) {
      const document = parse(text, { noLocation: true })
      const [error] = validate(schema, document)
      if (error) throw error
      judged.set(document, [])
      return document
    },
  }
}

function parseBounded(text: string): DocumentNode | FaultMaker {
  const excess = excessOfText(text)
  if (excess) return () => refusalError(tooComplex(excess))
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    return () => queryError(error)
  }
}

function tooComplex(what: string): Refusal {
  return new Refusal('QueryTooComplex', `the document is over a limit: ${what}`)
}

const conditionalSubscription =
  'The field of a subscription can be neither skipped nor included by a condition.'

/**
 * What is left of a subscription without its field can't be executed; the rules would decide it before there
 * are variables.
 */
function conditionOnSubscription(document: DocumentNode): DirectiveNode | undefined {
  const fragments = fragmentsOf(document)
  const seen = new Set<string>()
  const search = ({ selections }: SelectionSetNode): DirectiveNode | undefined => {
    for (const node of selections) {
      const condition = node.directives?.find(({ name }) => name.value === 'skip' || name.value === 'include')
      if (condition) return condition
      if (node.kind === Kind.FIELD) continue
      if (node.kind === Kind.FRAGMENT_SPREAD && seen.has(node.name.value)) continue
      if (node.kind === Kind.FRAGMENT_SPREAD) seen.add(node.name.value)
      const inner = node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value) : node
      const below = inner && search(inner.selectionSet)
      if (below) return below
    }
    return undefined
  }
  for (const item of document.definitions) {
    const isSubscription =
      item.kind === Kind.OPERATION_DEFINITION && item.operation === OperationTypeNode.SUBSCRIPTION
    const found = isSubscription ? search(item.selectionSet) : undefined
    if (found) return found
  }
  return undefined
}

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
