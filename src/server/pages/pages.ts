import type { IncomingMessage } from 'node:http'
import type { HttpResponse } from '../../http/response.ts'
import { homePath, type PagePath, pageFilesPath, pageOf, workerPath } from './paths.ts'
import { type Pages, readPages } from './shell.ts'

/** Whether a person followed a link, who gets a page that says what is wrong. */
export function wantsPage({ method, headers }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && (headers.accept ?? '').includes('text/html')
}

/**
 * Finds what a path of pages stands for; undefined if it is nothing.
 * @param isKnown whether there is what a page is of, as far as that is looked up for the status of the answer
 */
export function createPages(
  isKnown: (page: PagePath) => Promise<boolean>,
): (path: string) => Promise<HttpResponse | undefined> {
  let pages: Promise<Pages> | undefined
  const read = () => {
    pages ??= readPages().catch((fault) => {
      pages = undefined
      throw fault
    })
    return pages
  }
  return async (path) => {
    const { home, ofKind, unknown, files, notFound } = await read()
    if (path === homePath) return home
    if (path === workerPath) return files.get('worker.js')
    if (path.startsWith(pageFilesPath)) return files.get(path.slice(pageFilesPath.length))
    const page = pageOf(path)
    if (!page) return undefined
    if (page.fault) return notFound(page.fault)
    if (path.endsWith('/')) return withoutSlash(page)
    return (await isKnown(page)) ? ofKind[page.kind] : unknown[page.kind]
  }
}

/** Links of the page are relative to its path. */
function withoutSlash({ name }: PagePath): HttpResponse {
  return { status: 308, headers: { Location: `../${name}` }, body: '' }
}
