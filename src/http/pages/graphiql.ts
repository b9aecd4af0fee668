import { constant, once } from '../constant.ts'
import type { HttpResponse } from '../response.ts'
import { type FileName, graphiqlFiles } from './graphiql-files.ts'

/** Below this path are the files of GraphiQL. Its page names them beside its own address. */
export const graphiqlPath = '/graphql/graphiql/'

const files = once(graphiqlFiles)

/**
 * GraphiQL: a page of a kilobyte, and files that browsers keep for good. No other host is contacted.
 * @param defaultQuery what the editor opens on
 */
export function createGraphiql(defaultQuery: string): () => HttpResponse {
  return once(() => renderPage(defaultQuery))
}

/** A file of GraphiQL, by its name; undefined for what is none. */
export function graphiqlFile(name: string): HttpResponse | undefined {
  return files().find((file) => file.name === name)?.answer
}

function renderPage(defaultQuery: string): HttpResponse {
  const link = (kind: FileName) => `graphql/graphiql/${files().find((file) => file.kind === kind)?.name}`
  return constant(
    {
      'Content-Type': 'text/html; charset=utf-8',
      // Kept for a while, then asked for again by its tag.
      'Cache-Control': 'public, max-age=3600',
      Vary: 'Accept',
      'Content-Security-Policy': policy,
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
<script type="application/json" id="options">${options(defaultQuery)}</script>
<script src="${link('graphiql.js')}"></script>
</body>
</html>
`,
  )
}

function options(defaultQuery: string): string {
  const values = { title: 'Tradegraph', subscriptionsProtocol: 'GRAPHQL_SSE', defaultQuery }
  return JSON.stringify(values).replaceAll('<', '\\u003c')
}

/** Scripts of this host, which names the type of everything it serves; the editor makes style sheets as it goes. */
const policy = [
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
