import { constant, once } from '../constant.ts'
import type { HttpResponse } from '../response.ts'
import { type FileName, graphiqlFiles } from './graphiql-files.ts'

/** The path of GraphiQL's files. The page refers to them relative to its own address. */
export const graphiqlPath = '/graphql/graphiql/'

const files = once(graphiqlFiles)

/**
 * Creates the page of GraphiQL: a kilobyte, with files that browsers cache forever. It contacts no other
 * host.
 * @param defaultQuery the document that the editor shows first
 */
export function createGraphiql(defaultQuery: string): () => HttpResponse {
  return once(() => renderPage(defaultQuery))
}

/** A file of GraphiQL by its name; undefined if there is none. */
export function graphiqlFile(name: string): HttpResponse | undefined {
  return files().find((file) => file.name === name)?.answer
}

function renderPage(defaultQuery: string): HttpResponse {
  const link = (kind: FileName) => `graphql/graphiql/${files().find((file) => file.kind === kind)?.name}`
  return constant(
    {
      'Content-Type': 'text/html; charset=utf-8',
      // The page is cached for an hour, then revalidated by its ETag.
      'Cache-Control': 'public, max-age=3600',
      Vary: 'Accept',
      'Content-Security-Policy': contentSecurityPolicy,
      'Referrer-Policy': 'no-referrer',
    },
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Tradegraph</title>
<link rel="icon" href="${link('favicon.ico')}">
<link rel="stylesheet" href="${link('graphiql.css')}">
</head>
<body id="body" class="no-focus-outline">
<noscript>GraphiQL needs JavaScript.</noscript>
<div id="root"></div>
<script type="application/json" id="options">${graphiqlOptions(defaultQuery)}</script>
<script src="${link('graphiql.js')}"></script>
</body>
</html>
`,
  )
}

function graphiqlOptions(defaultQuery: string): string {
  const options = { title: 'Tradegraph', subscriptionsProtocol: 'GRAPHQL_SSE', defaultQuery }
  return JSON.stringify(options).replaceAll('<', '\\u003c')
}

/**
 * The policy of the page. Scripts come from this host only. The editor creates style sheets while it runs,
 * hence `unsafe-inline`.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  'font-src data:',
  "worker-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
