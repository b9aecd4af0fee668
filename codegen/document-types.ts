import { codegen } from '@graphql-codegen/core'
import * as operations from '@graphql-codegen/typescript-operations'
import { buildSchema, type DocumentNode, type GraphQLSchema, Kind, parse, printSchema, visit } from 'graphql'
import { scalarMap, schema, schemaText } from '../src/graphql/schema.ts'
import type { RowTraits } from '../src/rest/routing/route.ts'

export const documentTypesFile = 'src/rest/documents.generated.ts'
export const pageTypesFile = 'src/server/pages/browser/documents.generated.ts'
export const toolTypesFile = 'src/mcp/documents.generated.ts'

/** Options of the plugin for types of results and variables. */
export const operationConfig = {
  strictScalars: true,
  skipTypename: true,
  disableDescriptions: true,
  arrayInputCoercion: false,
  namingConvention: 'keep',
  omitOperationSuffix: true,
  operationResultSuffix: 'Result',
}

interface NamedText {
  name: string
  text: string
}

/** Returns TypeScript types of the REST rows' documents, by text. Enum members are REST values. */
export function documentTypes(rows: readonly RowTraits[]): Promise<string> {
  return typesByText(namedRows(rows), { filename: documentTypesFile, of: 'the REST rows', schema })
}

/** Returns the same for named documents of clients, with GraphQL's enum members and JSON scalars. */
export function clientTypes(
  documents: Readonly<Record<string, string>>,
  place: { filename: string; of: string },
): Promise<string> {
  const named = Object.entries(documents).map(([name, text]) => ({ name: typeName(name), text }))
  return typesByText(named, {
    ...place,
    schema: buildSchema(schemaText()),
    scalars: scalarMap(),
  })
}

async function typesByText(
  documents: readonly NamedText[],
  {
    filename,
    of,
    schema: schemaAst,
    scalars,
  }: { filename: string; of: string; schema: GraphQLSchema; scalars?: Record<string, string> },
): Promise<string> {
  const types = await codegen({
    filename,
    schema: parse(printSchema(schemaAst)),
    schemaAst,
    documents: documents.map(({ name, text }) => ({ location: name, document: named(parse(text), name) })),
    plugins: [{ operations: { ...operationConfig, ...(scalars && { scalars }) } }],
    pluginMap: { operations },
    config: {},
  })
  return `// Made from the documents of ${of} by \`npm run codegen\`.
${types.trim()}

/** The result and variables of each document, by its text. */
export interface Documents {
${documents.map(({ name, text }) => `  ${JSON.stringify(text)}: { result: ${name}Result; variables: ${name}Variables }`).join('\n')}
}
`
}

/** Returns each text once. Type names come from the first row that runs the document. */
function namedRows(rows: readonly RowTraits[]): NamedText[] {
  const nameByText = new Map<string, string>()
  for (const { on, run, stream } of rows) {
    if (run !== undefined && !nameByText.has(run)) nameByText.set(run, typeName(on))
    if (stream) nameByText.set(stream.run, typeName(`${on}/stream`))
  }
  return [...nameByText].map(([text, name]) => ({ text, name }))
}

/** Returns `GetApiV1OrdersUid` for `GET /api/v1/orders/:uid`. */
function typeName(on: string): string {
  const [method = '', ...path] = on.split(/[^A-Za-z0-9]+/)
  return [method === method.toUpperCase() ? method.toLowerCase() : method, ...path]
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')
}

function named(document: DocumentNode, value: string): DocumentNode {
  return visit(document, {
    OperationDefinition: (operation) => ({ ...operation, name: { kind: Kind.NAME, value } }),
  })
}
