import {
  type ArgumentNode,
  type ASTNode,
  type ASTVisitor,
  BREAK,
  type DirectiveNode,
  type DocumentNode,
  GraphQLError,
  type GraphQLInputType,
  Kind,
  NoFragmentCyclesRule,
  OperationTypeNode,
  parse,
  type SelectionSetNode,
  specifiedRules,
  TypeInfo,
  validate,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import { derivedOnce } from '../../domain/derived.ts'
import { Refusal } from '../../domain/errors/error.ts'
import { inputArguments } from '../../graphql/builder.ts'
import { queryError, refusalError } from '../../graphql/errors.ts'
import { fieldOf, firstFault } from '../../graphql/input/parse.ts'
import { schema } from '../../graphql/schema.ts'
import { type GraphqlParams, Operation } from '../operation.ts'
import { documentLimits, excessOf, excessOfText, fragmentsOf } from './document-size.ts'

/** Characters of all cached texts. A parsed document takes some hundred bytes per character. */
const maxCachedCharacters = 200_000

export interface Documents {
  /** Parses the document of a request. */
  read(params: GraphqlParams): Operation
  /**
   * Parses a document of the program itself, without limits.
   * @throws GraphQLError if it does not fit the schema
   */
  trust(text: string): DocumentNode
}

/** The only suggestion of graphql-js that `hideSuggestions` does not remove. */
const leafHint = / Did you mean "\w+ \{ \.\.\. \}"\?$/

/** Creates a new error for each request, because callers modify it. */
type ErrorFactory = () => GraphQLError

/**
 * Parses and validates texts, and caches results and errors.
 * @param suggests whether errors suggest schema names
 */
export function createDocuments(suggests: boolean): Documents {
  const documents = new LRUCache<string, DocumentNode>({
    maxSize: maxCachedCharacters,
    sizeCalculation: (_document, text) => Math.max(1, text.length),
    memoMethod: (text) => {
      const parsed = parseBounded(text)
      if ('kind' in parsed) return parsed
      const malformed: DocumentNode = { kind: Kind.DOCUMENT, definitions: [] }
      errorsIn(malformed, parsed)
      return malformed
    },
  })

  /** @param fault of a text that was not parsed */
  const errorsIn = derivedOnce((document: DocumentNode, fault?: ErrorFactory): readonly ErrorFactory[] => {
    if (fault) return [fault]
    const excess = excessOf(document)
    if (excess && excess !== 'circular') return [() => refusalError(tooComplex(excess))]
    const condition = conditionOnSubscription(document)
    if (condition) return [() => queryError(new GraphQLError(conditionalSubscription, { nodes: condition }))]
    const rules = excess ? [NoFragmentCyclesRule] : specifiedRules
    const options = { maxErrors: documentLimits.errors, hideSuggestions: !suggests }
    const firstFaults = new Map<ArgumentNode, Refusal | undefined>()
    return validate(schema, document, rules, options).flatMap((error): ErrorFactory[] => {
      const message = suggests ? error.message : error.message.replace(leafHint, '')
      if (!error.originalError) return [() => queryError(error, undefined, message)]
      const { field, argument, type } = placeOf(document, error.nodes?.[0])
      const isFirst = argument && !firstFaults.has(argument)
      if (isFirst) firstFaults.set(argument, faultOfLiteral(argument, type))
      const first = argument && firstFaults.get(argument)
      const factories = first && field === first.field ? [] : [() => queryError(error, field, message)]
      return isFirst && first ? [() => refusalError(first, error), ...factories] : factories
    })
  })

  return {
    read(params) {
      const { query } = params
      const document = documents.memo(typeof query === 'string' ? query : '')
      return new Operation(params, document, () => errorsIn(document).map((createError) => createError()))
    },

    trust(text) {
      const document = parse(text, { noLocation: true })
      const [error] = validate(schema, document)
      if (error) throw error
      return document
    },
  }
}

function parseBounded(text: string): DocumentNode | ErrorFactory {
  const excess = excessOfText(text)
  if (excess) return () => refusalError(tooComplex(excess))
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    return () => queryError(error)
  }
}

function tooComplex(excess: string): Refusal {
  return new Refusal('QueryTooComplex', `the document is over a limit: ${excess}`)
}

const conditionalSubscription =
  'The field of a subscription can be neither skipped nor included by a condition.'

/**
 * A condition on a subscription's field, which may leave nothing to execute. The standard rules evaluate it
 * before variables are known.
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
    const condition = isSubscription ? search(item.selectionSet) : undefined
    if (condition) return condition
  }
  return undefined
}

interface LiteralPosition {
  /** Path of the argument or input field. */
  field?: string
  argument?: ArgumentNode
  type?: GraphQLInputType | undefined
}

function placeOf(document: DocumentNode, node: ASTNode | undefined): LiteralPosition {
  const path: string[] = []
  const position: LiteralPosition = {}
  const types = new TypeInfo(schema)
  const find: ASTVisitor = {
    enter(current, _key, parent, _path, ancestors) {
      if (current !== node) return undefined
      for (const ancestor of [...ancestors, parent ?? []]) {
        if (!('kind' in ancestor)) continue
        if (ancestor.kind === Kind.ARGUMENT) Object.assign(position, { argument: ancestor })
        if (ancestor.kind === Kind.ARGUMENT || ancestor.kind === Kind.OBJECT_FIELD)
          path.push(ancestor.name.value)
      }
      position.type = types.getArgument()?.type
      return BREAK
    },
  }
  visit(document, visitWithTypeInfo(types, find))
  return path.length > 0 ? { ...position, field: fieldOf(path, inputArguments) } : position
}

/** The first fault of an argument without variables: these are not known here. */
function faultOfLiteral(
  { name, value }: ArgumentNode,
  type: GraphQLInputType | undefined,
): Refusal | undefined {
  let hasVariable = false
  visit(value, {
    Variable() {
      hasVariable = true
    },
  })
  return type && !hasVariable
    ? firstFault(type, valueFromASTUntyped(value), [name.value], inputArguments)
    : undefined
}
