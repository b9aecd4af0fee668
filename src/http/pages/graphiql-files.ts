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
 * separate files.
 */
export function graphiqlFiles(): GraphiqlFile[] {
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
