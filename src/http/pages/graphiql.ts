import { hash } from 'node:crypto'
import { constant, type HttpResponse, once } from '../response.ts'

type FileName = 'graphiql.css' | 'graphiql.js' | 'favicon.ico' | `${Worker}.js`
type Worker = 'editorWorkerService' | 'json' | 'graphql'

interface GraphiqlFile {
  kind: FileName
  /** The file name. It contains a hash of the content, so that browsers can cache it forever. */
  name: string
  answer: HttpResponse
}

const contentTypes: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  ico: 'image/x-icon',
}

/**
 * The files of GraphiQL. The package has everything in one page of nine megabytes; browsers can cache
 * separate files. The package is loaded with the first request, since it takes 30 MB.
 */
async function graphiqlFiles(): Promise<GraphiqlFile[]> {
  const {
    css,
    editorWorkerService,
    favicon,
    graphqlWorker,
    jsonWorker,
    js: script,
  } = await import('@graphql-yoga/render-graphiql/graphiql')
  const workers = [
    file('editorWorkerService.js', editorWorkerService),
    file('json.js', jsonWorker),
    file('graphql.js', graphqlWorker),
  ]
  const workerNames = Object.fromEntries(
    workers.map(({ kind, name }) => [kind.slice(0, -'.js'.length), name]),
  )
  return [
    ...workers,
    file('graphiql.css', css),
    file('graphiql.js', `${workerEnvironment(workerNames)}\n${script};\n${startScript}`),
    file('favicon.ico', Buffer.from(favicon.slice(favicon.indexOf(',') + 1), 'base64')),
  ]
}

function file(kind: FileName, content: string | Buffer): GraphiqlFile {
  const [baseName = '', extension = ''] = kind.split('.')
  const headers = {
    'Content-Type': contentTypes[extension] ?? '',
    'Cache-Control': 'public, max-age=31536000, immutable',
    // The policy applies to workers, which load nothing.
    'Content-Security-Policy': "default-src 'none'",
  }
  const name = `${baseName}.${hash('sha256', content, 'hex').slice(0, 16)}.${extension}`
  return { kind, name, answer: constant(headers, content) }
}

/** The script that maps the editor's worker labels to their files, which are in the folder of this script. */
function workerEnvironment(workerNames: Record<string, string>): string {
  return `{
  const base = document.currentScript.src
  const names = ${JSON.stringify(workerNames)}
  self.MonacoEnvironment = { globalAPI: false, getWorkerUrl: (_, label) => new URL(names[label], base).href }
}`
}

/** The script that starts GraphiQL with the options in the page. */
const startScript = `YogaGraphiQL.renderYogaGraphiQL(
  document.querySelector('#root'),
  JSON.parse(document.querySelector('#options').textContent),
)
`

/** The path of GraphiQL's files. The page refers to them relative to its own address. */
export const graphiqlPath = '/graphql/graphiql/'

const files = once(graphiqlFiles)

/**
 * Creates the page of GraphiQL: a kilobyte, with files that browsers cache forever. It contacts no other
 * host.
 * @param defaultQuery the document that the editor shows first
 */
export function createGraphiql(defaultQuery: string): () => Promise<HttpResponse> {
  return once(() => renderPage(defaultQuery))
}

/** A file of GraphiQL by its name; undefined if there is none. */
export async function graphiqlFile(name: string): Promise<HttpResponse | undefined> {
  return (await files()).find((file) => file.name === name)?.answer
}

async function renderPage(defaultQuery: string): Promise<HttpResponse> {
  const known = await files()
  const link = (kind: FileName) => `graphql/graphiql/${known.find((file) => file.kind === kind)?.name}`
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
