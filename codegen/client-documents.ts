import { readFileSync } from 'node:fs'
import path from 'node:path'
import { codegen } from '@graphql-codegen/core'
import * as operations from '@graphql-codegen/typescript-operations'
import {
  buildSchema,
  type DefinitionNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getNamedType,
  isScalarType,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  printSchema,
  type SelectionSetNode,
  stripIgnoredCharacters,
  TokenKind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { conversions, type ScalarTree } from '../src/client/scalars.ts'
import { scalarMap, schemaText } from '../src/graphql/schema.ts'
import { operationConfig } from './document-types.ts'

export const clientDocumentsFile = 'src/client/documents.generated.ts'

/** Returns the documents of the client with the types of their results and variables. */
export async function clientDocuments(): Promise<string> {
  const file = path.join(import.meta.dirname, '..', 'src', 'client', 'documents.graphql')
  const document = parse(readFileSync(file, 'utf8'))
  const schema = buildSchema(schemaText())
  const scalars = scalarMap()
  const types = await codegen({
    filename: clientDocumentsFile,
    schema: parse(printSchema(schema)),
    schemaAst: schema,
    documents: [{ location: 'documents.graphql', document }],
    plugins: [
      {
        operations: {
          ...operationConfig,
          scalars: { ...scalars, ...converted },
          // Each object has a type of its own, which errors of TypeScript name.
          extractAllFieldsToTypes: true,
        },
      },
    ],
    pluginMap: { operations },
    config: {},
  })
  const fragments = document.definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION)
  return `// Made from documents.graphql by \`npm run codegen\`.
import { documentOf, type TypedDocument } from './document.ts'
import type { ${Object.keys(converted).join(', ')} } from './scalars.ts'

/** The scalars of the schema. */
export type ScalarName =
${Object.keys(scalars)
  .map((name) => `  | '${name}'`)
  .join('\n')}

${types.trim()}

${fragments.map((fragment) => `const ${fragment.name.value} = ${literal(fragment)}\n`).join('')}
${document.definitions
  .filter((node) => node.kind === Kind.OPERATION_DEFINITION)
  .map((operation) => exportOf(operation, document, schema))
  .join('\n')}`
}

/** Scalars with a native form have a type of their own, under their name. */
const converted = Object.fromEntries(
  Object.entries(conversions).flatMap(([name, convert]) => (convert ? [[name, name]] : [])),
)

function exportOf(operation: OperationDefinitionNode, document: DocumentNode, schema: GraphQLSchema): string {
  const name = operation.name?.value ?? ''
  const fragments = fragmentsOf(operation.selectionSet, document)
  const tree = scalarTree(operation, fragments, schema)
  const type = `TypedDocument<${name}Result, ${name}Variables>`
  const parts = `[${fragments.map((fragment) => fragment.name.value).join(', ')}], ${JSON.stringify(tree)}`
  return `/** ${commentOf(operation)} */
export const ${name}Document: ${type} = /* @__PURE__ */ documentOf(${literal(operation)}, ${parts})
`
}

/** The comment above a definition. */
function commentOf({ loc }: DefinitionNode): string {
  const token = loc?.startToken.prev
  if (token?.kind !== TokenKind.COMMENT) throw new Error('each operation needs a comment')
  return (token.value ?? '').trim()
}

function literal(definition: DefinitionNode): string {
  const text = stripIgnoredCharacters(print(definition))
  const bare = visit(parse(text, { noLocation: true }).definitions[0] as DefinitionNode, {
    enter: (node) => Object.fromEntries(Object.entries(node).filter(([, value]) => !isEmpty(value))),
  })
  return JSON.stringify({ text, definition: bare })
}

/** Members that graphql and its clients read as empty when they are absent. */
const isEmpty = (value: unknown) => value === undefined || (Array.isArray(value) && value.length === 0)

/** All fragments that a selection needs, each once. */
function fragmentsOf(selectionSet: SelectionSetNode, document: DocumentNode): FragmentDefinitionNode[] {
  const found = new Set<FragmentDefinitionNode>()
  const collect = (from: SelectionSetNode) =>
    visit(from, {
      FragmentSpread({ name }) {
        const fragment = document.definitions.find(
          (node) => node.kind === Kind.FRAGMENT_DEFINITION && node.name.value === name.value,
        ) as FragmentDefinitionNode
        if (found.has(fragment)) return
        found.add(fragment)
        collect(fragment.selectionSet)
      },
    })
  collect(selectionSet)
  return [...found]
}

/** The converted scalars of an operation's result. */
function scalarTree(
  operation: OperationDefinitionNode,
  fragments: readonly FragmentDefinitionNode[],
  schema: GraphQLSchema,
): ScalarTree {
  const trees = new Map<string, Record<string, unknown>>()
  const treeOf = (node: FragmentDefinitionNode | OperationDefinitionNode): Record<string, unknown> => {
    const known = trees.get(node.name?.value ?? '')
    if (known) return known
    const stack: Record<string, unknown>[] = [{}]
    const info = new TypeInfo(schema)
    visit(
      node,
      visitWithTypeInfo(info, {
        Field: {
          enter: () => void stack.push({}),
          leave({ name, alias, selectionSet }) {
            const below = stack.pop() ?? {}
            const top = stack.at(-1) ?? {}
            const key = alias?.value ?? name.value
            const type = getNamedType(info.getType())
            if (selectionSet) {
              if (Object.keys(below).length > 0) top[key] = merged(top[key], below)
            } else if (isScalarType(type) && type.name in converted) top[key] = type.name
          },
        },
        FragmentSpread({ name }) {
          const fragment = fragments.find((one) => one.name.value === name.value)
          const top = stack.at(-1) ?? {}
          if (fragment) Object.assign(top, merged(top, treeOf(fragment)))
        },
      }),
    )
    trees.set(node.name?.value ?? '', stack[0] ?? {})
    return stack[0] ?? {}
  }
  return treeOf(operation) as ScalarTree
}

/** Both trees. The same key has the same scalar in both: GraphQL validates that. */
function merged(a: unknown, b: Record<string, unknown>): Record<string, unknown> {
  const all = { ...((a ?? {}) as Record<string, unknown>) }
  for (const [key, value] of Object.entries(b))
    all[key] = typeof value === 'object' ? merged(all[key], value as Record<string, unknown>) : value
  return all
}
