import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import path from 'node:path'
import { constant, type HttpResponse } from '../../http/response.ts'
import {
  homePath,
  type ListPage,
  listOf,
  listPages,
  type PageKind,
  type PagePath,
  pageFilesPath,
  pageKinds,
  pageOf,
  type Script,
  workerPath,
} from './paths.ts'

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
}

/** Policy without other hosts, and without scripts and styles in pages. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const htmlHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  // Revalidated by its ETag each time: it names files that the next version does not have.
  'Cache-Control': 'no-cache',
  'Content-Security-Policy': contentSecurityPolicy,
  'Referrer-Policy': 'no-referrer',
}

type Files = ReadonlyMap<string, HttpResponse>

/** Responses that are the same for all. */
interface Pages {
  home: HttpResponse
  /** One for all of a kind: its script reads the name from the address. */
  ofKind: Readonly<Record<PageKind, HttpResponse>>
  /** Pages of missing subjects, which may appear: the script keeps looking. */
  unknown: Readonly<Record<PageKind, HttpResponse>>
  lists: Readonly<Record<ListPage, HttpResponse>>
  files: Files
  /** The page of a path that leads nowhere. */
  missing(path: string): HttpResponse
  notFound(fault: NonNullable<PagePath['fault']>): HttpResponse
}

async function readPages(): Promise<Pages> {
  const contents = await readFiles()
  const files = new Map([...contents].map(([name, content]) => [name, constant(headersOf(name), content)]))
  const page = (kind: PageKind) => shell(files, { script: kind })
  const each = <Name extends string>(names: readonly Name[], answer: (name: Name) => HttpResponse) =>
    Object.fromEntries(names.map((name) => [name, answer(name)])) as Record<Name, HttpResponse>
  // Programs get another response at the same address.
  const first = (script: Script) =>
    constant({ ...htmlHeaders, Vary: 'Accept' }, shell(files, { script, root: '.' }))
  const absent = (parts: Parts) => ({
    status: 404,
    headers: { ...htmlHeaders, 'Cache-Control': 'no-store', Vary: 'Accept' },
    body: shell(files, parts),
  })
  return {
    home: first('home'),
    lists: each(listPages, first),
    ofKind: each(pageKinds, (kind) => constant(htmlHeaders, page(kind))),
    unknown: each(pageKinds, (kind) => ({
      status: 404,
      headers: { ...htmlHeaders, 'Cache-Control': 'no-store' },
      body: page(kind),
    })),
    files,
    missing: (path) => absent({ script: 'missing', root: rootOf(path) }),
    notFound: ({ fault, rule }) =>
      absent({
        body: `<main class="alone"><section><h1>${fault}</h1>
<p>${rule}</p><p><a href="..">Search for something else</a></p></section></main>`,
      }),
  }
}

/** Depth from which a page names the service by its host: no path of the service is as deep. */
const tooDeep = 16

/** The service’s own address, relative to a path. */
function rootOf(path: string): string {
  const depth = path.split('/', tooDeep + 2).length - 2
  if (depth === tooDeep) return ''
  return depth === 0 ? '.' : Array(depth).fill('..').join('/')
}

/** Reads the output of `npm run build`, or in a clone builds from the sources. */
async function readFiles(): Promise<Map<string, Buffer>> {
  const folder = path.join(import.meta.dirname, 'built')
  if (existsSync(folder))
    return new Map(readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name))]))
  const { bundlePages } = await import('./bundle.ts')
  return new Map([...(await bundlePages())].map(([name, content]) => [name, Buffer.from(content)]))
}

function headersOf(name: string): HttpResponse['headers'] {
  const hasHash = name.split('.').length === 3
  return {
    'Content-Type': contentTypes[path.extname(name)] ?? 'application/octet-stream',
    'Cache-Control': hasHash ? 'public, max-age=31536000, immutable' : 'no-cache',
    // A worker follows this policy, not that of its page.
    'Content-Security-Policy': contentSecurityPolicy,
  }
}

function nameOf(files: Files, base: string, extension: string): string {
  const isIt = (name: string) => name.startsWith(`${base}.`) && name.endsWith(extension)
  return [...files.keys()].find(isIt) ?? ''
}

interface Parts {
  /** Script of the page; without one the page has only `body`. */
  script?: Script
  /** The service’s own address, relative to the page: it may be below a path of a proxy. */
  root?: string
  body?: string
}

/** Composes a page without the path, which may be anything. */
function shell(files: Files, { script, root = '..', body }: Parts): string {
  const module =
    script && `<script type="module" src="${root}/pages/${nameOf(files, script, '.js')}"></script>\n`
  return `<!doctype html>
<html lang="en" data-root="${root}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tradegraph</title>
<link rel="icon" type="image/png" href="${root}/pages/icon.png">
<link rel="stylesheet" href="${root}/pages/${nameOf(files, 'page', '.css')}">
${module ?? ''}</head>
<body>
${body ?? '<noscript>This page needs JavaScript.</noscript>'}
</body>
</html>
`
}

const reads = ({ method }: IncomingMessage) => method === 'GET' || method === 'HEAD'

/** Checks whether a person followed a link: then a page explains the fault. */
export function wantsPage(req: IncomingMessage): boolean {
  return reads(req) && (req.headers.accept ?? '').includes('text/html')
}

/** Checks whether a client takes the home page: also one that takes anything, such as curl. */
export function wantsHome(req: IncomingMessage): boolean {
  return wantsPage(req) || (reads(req) && req.headers.accept === '*/*')
}

interface PageFinder {
  /**
   * Finds the page of a path; undefined if there is none.
   * @param query with its question mark, for a redirection
   */
  find(path: string, query: string): Promise<HttpResponse | undefined>
  /** Returns the page that says that there is nothing at a path. */
  missing(path: string): Promise<HttpResponse>
}

/** @param isKnown whether the subject of a page exists, as far as that decides the status of the response */
export function createPages(isKnown: (page: PagePath) => Promise<boolean>): PageFinder {
  let pages: Promise<Pages> | undefined
  const read = () => {
    pages ??= readPages().catch((fault) => {
      pages = undefined
      throw fault
    })
    return pages
  }
  const find = async (path: string, query: string) => {
    const { home, ofKind, unknown, lists, files, notFound } = await read()
    if (path === homePath) return home
    if (path === workerPath) return files.get('worker.js')
    if (path.startsWith(pageFilesPath)) return files.get(path.slice(pageFilesPath.length))
    const list = listOf(path)
    if (list) return path.endsWith('/') ? withoutSlash(list, query) : lists[list]
    const page = pageOf(path)
    if (!page) return undefined
    if (page.fault) return notFound(page.fault)
    if (path.endsWith('/')) return withoutSlash(page.name, query)
    return (await isKnown(page)) ? ofKind[page.kind] : unknown[page.kind]
  }
  return { find, missing: async (path) => (await read()).missing(path) }
}

/** Links of the page are relative to its path. Programs get an error at the path of a list. */
function withoutSlash(name: string, query: string): HttpResponse {
  const headers = { Location: `../${name}${query}`, 'Cache-Control': 'no-cache', Vary: 'Accept' }
  return { status: 308, headers, body: '' }
}
