import { hash } from 'node:crypto'
import {
  css,
  editorWorkerService,
  favicon,
  graphqlWorker,
  jsonWorker,
  js as script,
} from '@graphql-yoga/render-graphiql/graphiql'
import { constant } from '../constant.ts'
import type { HttpResponse } from '../response.ts'

export type FileName = 'graphiql.css' | 'graphiql.js' | 'favicon.ico' | `${Worker}.js`
type Worker = 'editorWorkerService' | 'json' | 'graphql'

interface GraphiqlFile {
  kind: FileName
  /** With a hash of what is in it: another version has another name. */
  name: string
  answer: HttpResponse
}

const contentTypes: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  ico: 'image/x-icon',
}

/** What the package has in one page, as files: nine megabytes that a page need not carry. */
export function graphiqlFiles(): GraphiqlFile[] {
  const workers = [
    file('editorWorkerService.js', editorWorkerService),
    file('json.js', jsonWorker),
    file('graphql.js', graphqlWorker),
  ]
  const names = Object.fromEntries(workers.map(({ kind, name }) => [kind.slice(0, -'.js'.length), name]))
  return [
    ...workers,
    file('graphiql.css', css),
    file('graphiql.js', `${environment(names)}\n${script};\n${start}`),
    file('favicon.ico', Buffer.from(favicon.slice(favicon.indexOf(',') + 1), 'base64')),
  ]
}

function file(kind: FileName, content: string | Buffer): GraphiqlFile {
  const [stem = '', ending = ''] = kind.split('.')
  const headers = {
    'Content-Type': contentTypes[ending] ?? '',
    'Cache-Control': 'public, max-age=31536000, immutable',
    // Of a worker: it is given everything it needs.
    'Content-Security-Policy': "default-src 'none'",
  }
  const name = `${stem}.${hash('sha256', content, 'hex').slice(0, 16)}.${ending}`
  return { kind, name, answer: constant(headers, content) }
}

/** Where the editor finds its workers, by what it calls them. They are beside this script. */
function environment(names: Record<string, string>): string {
  return `{
  const base = document.currentScript.src
  const names = ${JSON.stringify(names)}
  self.MonacoEnvironment = { globalAPI: false, getWorkerUrl: (_, label) => new URL(names[label], base).href }
}`
}

/** What it opens with stands in the page. */
const start = `YogaGraphiQL.renderYogaGraphiQL(
  document.querySelector('#root'),
  JSON.parse(document.querySelector('#options').textContent),
)
`
