import { codegen } from '@graphql-codegen/core'
import * as operations from '@graphql-codegen/typescript-operations'
import { type DocumentNode, Kind, parse, visit } from 'graphql'
import { schema } from '../src/graphql/schema.ts'
import type { RowTraits } from '../src/rest/row/route.ts'

export const documentTypesFile = 'src/rest/documents.generated.ts'

const config = {
  strictScalars: true,
  skipTypename: true,
  disableDescriptions: true,
  arrayInputCoercion: false,
  namingConvention: 'keep',
  omitOperationSuffix: true,
  operationResultSuffix: 'Result',
}

/** TypeScript types of the variables and results of the REST rows' documents, by text. Enum members are REST values. */
export async function documentTypes(rows: readonly RowTraits[]): Promise<string> {
  const documents = namedDocuments(rows)
  const types = await codegen({
    filename: documentTypesFile,
    schema: undefined as never,
    schemaAst: schema,
    documents: documents.map(({ name, document }) => ({ location: name, document })),
    plugins: [{ operations: config }],
    pluginMap: { operations },
    config: {},
  })
  return `// Made from the documents of the REST rows by \`npm run codegen\`.
${types.trim()}

/** What a document gives and takes, by its text. */
export interface Documents {
${documents.map(({ name, text }) => `  ${JSON.stringify(text)}: { result: ${name}Result; variables: ${name}Variables }`).join('\n')}
}
`
}

/** Each text once. Type names come from the first row that runs the document. */
function namedDocuments(rows: readonly RowTraits[]) {
  const nameByText = new Map<string, string>()
  for (const { on, run } of rows) {
    if (run !== undefined && !nameByText.has(run)) nameByText.set(run, typeName(on))
  }
  return [...nameByText].map(([text, name]) => ({ text, name, document: named(parse(text), name) }))
}

/** `GET /api/v1/orders/:uid` is `GetApiV1OrdersUid`. */
function typeName(on: string): string {
  const [method = '', ...path] = on.split(/[^A-Za-z0-9]+/)
  return [method.toLowerCase(), ...path]
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')
}

function named(document: DocumentNode, value: string): DocumentNode {
  return visit(document, {
    OperationDefinition: (operation) => ({ ...operation, name: { kind: Kind.NAME, value } }),
  })
}
