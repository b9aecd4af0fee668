import { type RefusalCode, refusalCodes } from '../src/domain/errors/refusal-codes.ts'
import { statusOf } from '../src/rest/errors.ts'
import { accountRoutes, orderBookRoutes } from '../src/rest/routes.ts'
import type { RowTraits } from '../src/rest/routing/route.ts'
import { page, table } from './markdown.ts'

const introduction = `# Errors

Every refusal has one of these codes. GraphQL returns it as \`extensions.code\`, with \`retryable\` and, where they apply, the
\`field\` at fault and \`data\`. Order book routes return \`{"errorType", "description"}\`, with \`data\` where it applies; the other
routes return \`{"message"}\` with the status. Clients whose \`Accept\` names \`application/problem+json\` get problem
details of RFC 9457 from both, with \`code\`, \`retryable\`, \`field\` and \`data\` as members. A retryable request can succeed later without a change.

The search of the first page, and \`tradegraph explain TEXT\` in the terminal, explain the same codes to traders.

This page is made from the program's own list by \`npm run codegen\`.`

/** Returns docs/errors.md: the closed list of codes as a table. */
export function errorsPage(): string {
  const routes = [...orderBookRoutes, ...accountRoutes]
  const rows = Object.entries(refusalCodes).map(([code, { retryable, description, advice }]) => [
    `<a id="${code}"></a>\`${code}\``,
    statusText(code as RefusalCode, routes),
    description,
    retryable ? 'yes' : 'no',
    advice,
  ])
  return page(introduction, table(['code', 'status', 'meaning', 'retryable', 'what to do'], rows))
}

/** Returns the status of the code and its exceptions, each with its routes. */
function statusText(code: RefusalCode, routes: readonly RowTraits[]): string {
  const routesByException = new Map<string, Set<string>>()
  for (const { on, statuses = {} } of routes) {
    for (const [key, status] of Object.entries(statuses)) {
      const [error, field] = key.split(' of ')
      if (error !== code || status === statusOf[code]) continue
      const exception = `${status}${field ? ` for \`${field}\`` : ''}`
      routesByException.set(exception, (routesByException.get(exception) ?? new Set()).add(`\`${on}\``))
    }
  }
  const exceptions = [...routesByException].map(
    ([exception, paths]) => `; ${exception} on ${[...paths].join(', ')}`,
  )
  return statusOf[code] + exceptions.join('')
}
