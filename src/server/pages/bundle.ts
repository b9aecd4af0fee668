import path from 'node:path'
import { build } from 'esbuild'
import { scripts } from './paths.ts'

const browser = path.join(import.meta.dirname, 'browser')

/**
 * The files of the pages by name: scripts and styles, named with a hash of their content, and the worker.
 * @param inputs gets the paths of all sources
 */
export async function bundlePages(inputs: string[] = []): Promise<Map<string, Uint8Array>> {
  const shared = {
    absWorkingDir: browser,
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    outdir: path.join(browser, 'out'),
    target: 'es2022',
    logLevel: 'silent',
  } as const
  const results = await Promise.all([
    build({
      ...shared,
      entryPoints: {
        ...Object.fromEntries(scripts.map((page) => [page, `${page}/page.tsx`])),
        page: 'page.css',
      },
      entryNames: '[name].[hash]',
      format: 'esm',
    }),
    build({ ...shared, entryPoints: { worker: 'worker.ts', icon: 'icon.png' }, loader: { '.png': 'copy' } }),
  ])
  inputs.push(...results.flatMap(({ metafile }) => Object.keys(metafile.inputs)))
  const files = results.flatMap(({ outputFiles }) => outputFiles)
  return new Map(files.map((file) => [path.basename(file.path), file.contents]))
}
