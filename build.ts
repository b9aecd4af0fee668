import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build, type Plugin } from 'esbuild'
import { viewerFiles } from './src/http/pages/swagger-ui.ts'
import { bundlePages } from './src/server/pages/bundle.ts'

// `npm run build` writes the program to `dist`, with the client in `dist/client`, which is a package of its own;
// `npm run build -- client [folder]` and `npm run build -- program [folder]` write one of them, the program without
// its types. What is in `dependencies` and `optionalDependencies` is installed with it: native code, programs, and
// contracts under another license. Everything else is part of the bundle.

const root = import.meta.dirname
const [part = 'all', folder] = process.argv.slice(2)
const dist = path.resolve(part === 'program' && folder ? folder : path.join(root, 'dist'))
/** Folder of all modules but the entries. */
const program = path.join(dist, 'program')
const entries = ['src/app/commands/tradegraph', 'src/app/package']

/** Lets sources find their files: a bundled module is in another folder than its source. */
const ownFolders: Plugin = {
  name: 'own folders',
  setup(builder) {
    builder.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path: file }) => {
      const source = readFileSync(file, 'utf8')
      const isEntry = entries.some((entry) => file === path.join(root, `${entry}.ts`))
      if (isEntry || file.includes('node_modules') || !source.includes('import.meta.')) return undefined
      const folder = path.relative(program, path.join(dist, path.relative(root, path.dirname(file))))
      const url = `new URL(${JSON.stringify(`${folder}/`)}, import.meta.url)`
      const contents = source
        .replaceAll('import.meta.url', `${url}.href`)
        .replaceAll('import.meta.dirname', `fileURLToPath(${url})`)
      return { contents: `import { fileURLToPath } from 'node:url'\n${contents}`, loader: 'ts' }
    })
  },
}

async function bundleProgram(): Promise<string[]> {
  const { dependencies, optionalDependencies } = JSON.parse(
    readFileSync(path.join(root, 'package.json'), 'utf8'),
  )
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(entries.map((entry) => [entry, `${entry}.ts`])),
    outdir: dist,
    chunkNames: 'program/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    plugins: [ownFolders],
    external: [
      ...Object.keys({ ...dependencies, ...optionalDependencies }),
      // Loaded in a clone only, and accelerators that packages try to load.
      'esbuild',
      'pg-native',
      'bufferutil',
      'utf-8-validate',
    ],
    // What packages in CommonJS expect.
    banner: {
      js: `import { createRequire as createRequireOfBundle } from 'node:module'
const require = createRequireOfBundle(import.meta.url), __dirname = import.meta.dirname, __filename = import.meta.filename`,
    },
    metafile: true,
    logLevel: 'warning',
  })
  return Object.keys(metafile.inputs)
}

/** Folder of the client's own package. */
const client = path.resolve(folder ?? path.join(dist, 'client'))

/** Bundles the client with what it imports, as one module for browsers and Node. */
async function bundleClient(): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/client/package.ts'],
    outdir: client,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    metafile: true,
    logLevel: 'warning',
  })
  return Object.keys(metafile.inputs)
}

/** Licenses of the packages in the bundle, which all have to be passed on. */
function licensesOf(inputs: readonly string[]): string {
  const files = inputs.flatMap((input) => /node_modules\/.*/.exec(input)?.[0] ?? [])
  const packages = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [])
  return [...new Set(packages)]
    .toSorted()
    .map((folder) => {
      const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
      const { name, version, license, repository, homepage } = manifest
      const source = repository?.url ?? repository ?? homepage ?? `npm package ${name}`
      const texts = readdirSync(folder)
        .filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
        .map((file) => readFileSync(path.join(folder, file), 'utf8').trim())
      return `# ${name} ${version} (${license}), source: ${source}\n\n${texts.join('\n\n')}\n`
    })
    .join('\n')
}

/** Writes the manifest of the client's package, its license and the licenses in its bundle. */
function writeClientPackage(inputs: readonly string[]): void {
  const { version, license } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  const manifest = {
    name: 'tradegraph-client',
    version,
    description: 'Client of Tradegraph for browsers and Node: typed documents, streams, signed orders.',
    license,
    type: 'module',
    sideEffects: false,
    exports: {
      '.': { types: './package.d.ts', default: './package.js' },
      './package.json': './package.json',
    },
  }
  writeFileSync(path.join(client, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  writeFileSync(path.join(client, 'LICENSES.txt'), licensesOf(inputs))
  cpSync(path.join(root, 'LICENSE'), path.join(client, 'LICENSE'))
  const page = readFileSync(path.join(root, 'docs/how-to/use-the-client.md'), 'utf8')
  // Other pages are not in the package.
  writeFileSync(path.join(client, 'README.md'), page.replace(/\[([^\]]+)\]\((?!https?:)[^)]+\)/g, '$1'))
}

/** Writes the types of an entry to a folder. */
function writeTypes(entry: string, folder: string, ...more: string[]): void {
  const flags = ['--declaration', '--emitDeclarationOnly', '--module', 'nodenext', '--types', 'node', ...more]
  const types = ['--ignoreConfig', entry, '--outDir', folder, ...flags]
  const { status } = spawnSync('node_modules/.bin/tsc', types, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}

/** Writes files where the sources look for them. */
async function copyFiles(inputs: string[]): Promise<void> {
  const copy = (from: string, to = from) =>
    cpSync(path.join(root, from), path.join(dist, to), { recursive: true })
  copy('prisma/migrations')
  copy('src/dev/contracts/artifacts')
  for (const name of viewerFiles)
    copy(`node_modules/swagger-ui-dist/${name}`, `src/http/pages/viewer/${name}`)
  const pages = path.join(dist, 'src', 'server', 'pages', 'built')
  mkdirSync(pages, { recursive: true })
  for (const [name, content] of await bundlePages(inputs)) writeFileSync(path.join(pages, name), content)
}

async function buildClient(): Promise<string[]> {
  const inputs = await bundleClient()
  writeTypes(
    'src/client/package.ts',
    client,
    '--strict',
    '--target',
    'es2023',
    '--rewriteRelativeImportExtensions',
  )
  writeClientPackage(inputs)
  return inputs
}

async function buildProgram(more: readonly string[] = []): Promise<string[]> {
  mkdirSync(program, { recursive: true })
  const inputs = [...(await bundleProgram()), ...more]
  await copyFiles(inputs)
  return inputs
}

async function buildAll(): Promise<void> {
  rmSync(dist, { recursive: true, force: true })
  const inputs = await buildProgram(await buildClient())
  writeTypes('src/app/package.ts', 'dist/src/app')
  const nested = readFileSync(path.join(root, 'src/http/pages/nested-licenses.txt'), 'utf8')
  const licenses = licensesOf([...inputs, 'node_modules/swagger-ui-dist/'])
  writeFileSync(path.join(dist, 'LICENSES.txt'), `${licenses}\n${nested}`)
}

await (part === 'client' ? buildClient() : part === 'program' ? buildProgram() : buildAll())
