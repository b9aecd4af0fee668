import type { Family } from '../errors.ts'
import { accountRoutes, orderBookRoutes } from '../routes.ts'
import type { RowTraits } from '../routing/route.ts'
import { patternOf } from '../routing/router.ts'
import { schemaComponents } from './components.ts'
import { headerComponents, tags } from './operation.ts'
import { operationOf } from './operations.ts'
import { errorComponents, pathItemOperation } from './path-item.ts'

const description = `The REST side of the service. \`/graphql\` has everything that is here, and more; GraphiQL shows its schema.

- **Amounts** are decimal strings of atoms. Only \`price\` of a native or USD price is a JSON number.
- **Hex** is read in any letter case; answers are in lowercase.
- **Errors** of order book routes have \`errorType\`, \`description\` and sometimes \`data\`; those of tokens, accounts, sessions and affiliates have \`message\`. Decide by the code, not by the status alone.
- **Networks** are named by name, alias or chain id, on every route.
- A slash at the end of a path changes nothing, and HEAD is answered like GET without the body.`

/** Returns routes with their documentation. A route without one is left out, and a test fails. */
export function describedRows() {
  const families: [Family, readonly RowTraits[]][] = [
    ['orderBook', orderBookRoutes],
    ['account', accountRoutes],
  ]
  return families.flatMap(([family, rows]) =>
    rows.flatMap((row) => {
      const operation = operationOf(row, family)
      return operation ? [{ family, row, operation, ...patternOf(row.on, family === 'orderBook') }] : []
    }),
  )
}

/** Returns the OpenAPI 3.1 document of every route. */
export function openApiDocument(version: string) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const described of describedRows()) {
    const path = described.pattern.replace(/:(\w+)/g, '{$1}')
    paths[path] ??= {}
    paths[path][described.method.toLowerCase()] = pathItemOperation(described)
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Tradegraph', version, description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/', description: 'This server.' }],
    security: [],
    tags: Object.entries(tags).map(([name, text]) => ({ name, description: text })),
    paths,
    components: {
      schemas: schemaComponents(),
      responses: errorComponents(),
      headers: headerComponents(),
      securitySchemes: {
        session: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token of a session of the account, from `POST /sessions`.',
        },
        editorBearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'The key of the content system, or the operator’s.',
        },
        editorKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: 'The same key in the header that some clients use.',
        },
      },
    },
  }
}
