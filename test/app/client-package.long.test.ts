import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ClientPackage, readThroughKills } from '../client/killed-stream.ts'
import { ask, questionsOf } from '../client/questions.ts'
import { holdsInOrder, runPage } from '../docs/examples.ts'
import { readPage, root } from '../docs/pages.ts'
import { createTemporaryHome, removeTemporaryHome } from '../setup/home.ts'
import { packClient } from '../setup/packed-client.ts'
import { openTestServer } from '../setup/server.ts'
import { startWorld, type World } from '../setup/world.ts'

const run = promisify(execFile)

/** A folder with the installed package, and what an application has besides. */
let folder: string
let world: World
let client: ClientPackage
let uid = ''

beforeAll(async () => {
  folder = createTemporaryHome()
  const tarball = await packClient(folder)
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }')
  await run('npm', ['install', `./${tarball}`, '--offline', '--no-audit', '--no-fund'], { cwd: folder })
  symlinkSync(path.join(root, 'node_modules', 'ethers'), path.join(folder, 'node_modules', 'ethers'))
  const entry = path.join(folder, 'node_modules', 'tradegraph-client', 'package.js')
  client = await import(pathToFileURL(entry).href)
  world = await startWorld({ environment: { PUBLIC_URL: 'https://trade.example' } })
}, 300_000)
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  removeTemporaryHome(folder)
})

test('the package holds the client alone, with the licenses of its bundle, and needs no other package', () => {
  const place = path.join(folder, 'node_modules', 'tradegraph-client')
  const text = (name: string) => readFileSync(path.join(place, name), 'utf8')
  expect(text('package.js').match(/^import .*|\bimport\(.*|\brequire\(.*/gm)).toBeNull()
  const files = readdirSync(place)
  expect(files.filter((name) => !name.endsWith('.d.ts')).toSorted()).toEqual([
    'LICENSE',
    'LICENSES.txt',
    'README.md',
    'package.js',
    'package.json',
  ])
  expect(text('LICENSES.txt')).toContain('# @noble/hashes ')
  expect(JSON.parse(text('package.json'))).not.toHaveProperty('dependencies')
  expect(text('README.md')).not.toMatch(/\]\(\.\.?\//)
  expect(
    readdirSync(path.join(folder, 'node_modules'))
      .filter((name) => !name.startsWith('.'))
      .toSorted(),
  ).toEqual(['ethers', 'tradegraph-client'])
})

test('the page of the client runs as it is', async () => {
  const page = readPage('docs/how-to/use-the-client.md')
  const runs = await runPage(page, {
    folder,
    adapt: (text) => text.replaceAll('127.0.0.1:4000', new URL(world.url).host),
    skips: (line) => line.startsWith('npm run build'),
  })
  for (const { commands, output, expected } of runs)
    expect(expected === undefined || holdsInOrder(output, expected), `${commands}\n${output}`).toBe(true)
  const followed = runs.find(({ commands }) => commands.includes('follow'))
  expect(followed?.output).toMatch(/ORDER_FILLED .*\nhandled \d+\n[\s\S]*ORDER_CANCELLED/)
  // It begins with the orders of the account.
  uid = /0x[0-9a-f]{112}/.exec(followed?.output ?? '')?.[0] ?? ''
  expect(uid).not.toBe('')
})

test('each document has an answer', async () => {
  const empty: string[] = []
  for (const [name, variables] of Object.entries(questionsOf(world, uid))) {
    const result = await ask(client, world.url, name as 'OrderDocument', variables)
    if (Object.values(result).some((value) => value === null)) empty.push(name)
  }
  expect(empty).toEqual([])
}, 180_000)

test('a stream that is killed twenty times misses and repeats nothing', async () => {
  await using server = await openTestServer({}, { streamLimits: { perClient: 10_000 } })
  const { read, written } = await readThroughKills(client, server, 20)
  expect(read).toEqual(written)
}, 180_000)

/** Returns the output of TypeScript for a file in the folder. */
async function typesOf(file: string, resolution: string): Promise<string> {
  const flags = ['--ignoreConfig', '--strict', '--noEmit', '--target', 'es2022', '--lib', 'es2023,dom']
  const modules = [
    '--module',
    resolution === 'bundler' ? 'esnext' : 'nodenext',
    '--moduleResolution',
    resolution,
  ]
  const tsc = path.join(root, 'node_modules', '.bin', 'tsc')
  const { stdout } = await run(tsc, [...flags, '--types', '', ...modules, file], { cwd: folder }).catch(
    (fault) => fault,
  )
  return stdout
}

test('its types need no other package', async () => {
  const source = `import { createClient, OrderDocument, QuoteDocument, placeOrder, subscribe, OrderProgressDocument } from 'tradegraph-client'
    const native = createClient({ url: 'http://x', scalars: 'native' })
    const wire = createClient({ url: 'http://x' })
    export async function use(provider: { request(request: { method: string; params?: unknown }): Promise<unknown> }) {
      const { order } = await native.query(OrderDocument, { uid: '0x' })
      const [amount, date]: [bigint | undefined, Date | undefined] = [order?.sellAmount, order?.creationDate]
      const text: string | undefined = (await wire.query(OrderDocument, { uid: '0x' })).order?.sellAmount
      const input = { from: '0x', sellToken: '0x', buyToken: '0x', amount: { sellBeforeFee: 1n } }
      const { quote } = await native.mutate(QuoteDocument, { input })
      const placed: bigint = (await placeOrder(native, { ...quote, signer: provider })).sellAmount
      for await (const { orderEvents } of subscribe(wire, OrderProgressDocument, { uid: '0x' })) {
        const bought: string = orderEvents.order.executedBuyAmount
        return [amount, date, text, placed, bought]
      }
      // @ts-expect-error a document needs its variables
      await wire.query(OrderDocument)
      // @ts-expect-error a name that no result has
      return order?.nothing
    }`
  writeFileSync(path.join(folder, 'use.ts'), source)
  for (const resolution of ['bundler', 'nodenext']) expect(await typesOf('use.ts', resolution)).toBe('')
})

test('its errors of TypeScript name the type', async () => {
  const source = `import { createClient, AccountOrdersDocument } from 'tradegraph-client'
    const [wire, native] = [createClient({ url: 'http://x' }), createClient({ url: 'http://x', scalars: 'native' })]
    const { account } = await wire.query(AccountOrdersDocument, { account: '0x' })
    const orders: number = account.orders
    const more: number = (await native.query(AccountOrdersDocument, { account: '0x' })).account.orders`
  writeFileSync(path.join(folder, 'wrong.ts'), source)
  const names = [...(await typesOf('wrong.ts', 'nodenext')).matchAll(/Type '(.*?)' is not assignable/g)].map(
    ([, name]) => name,
  )
  expect(names).toEqual([
    'AccountOrders_account_Account_orders_OrderConnection',
    'NativeMembers<AccountOrders_account_Account_orders_OrderConnection>',
  ])
})

describe('a build with Vite', () => {
  const names = {
    'one query': 'createClient, OrderDocument',
    'a stream': 'createClient, subscribe, AccountNotificationsDocument',
    trading: 'createClient, QuoteDocument, placeOrder, waitForOrder, cancelOrders',
    everything: '* as all',
  }

  async function bundle(imports: string): Promise<string> {
    const module = imports.startsWith('*') ? imports : `{ ${imports} }`
    const used = imports.startsWith('*') ? 'all' : `{ ${imports} }`
    writeFileSync(
      path.join(folder, 'main.js'),
      `import ${module} from 'tradegraph-client'\nglobalThis.used = ${used}\n`,
    )
    await build({
      root: folder,
      logLevel: 'error',
      configFile: false,
      build: {
        rollupOptions: { input: path.join(folder, 'main.js'), output: { entryFileNames: 'main.js' } },
        modulePreload: false,
        outDir: 'built',
        emptyOutDir: true,
      },
    })
    return readFileSync(path.join(folder, 'built', 'main.js'), 'utf8')
  }

  test('has the sizes that the page states', async () => {
    const sizes: Record<string, number> = {}
    for (const [name, imports] of Object.entries(names))
      sizes[name] = gzipSync(await bundle(imports), { level: 9 }).length
    const { text } = readPage('docs/how-to/use-the-client.md')
    const [, query, stream, trading] =
      /with gzip: ([\d.]+) kB for [\s\S]*? query, ([\d.]+) kB with a\s+stream, and ([\d.]+) kB/.exec(text) ??
      []
    const [, all] = /functions are ([\d.]+) kB/.exec(text) ?? []
    const stated = [query, stream, trading, all].map((kilobytes) => Number(kilobytes) * 1_000)
    const isNear = ([, size]: [string, number], index: number) =>
      Math.abs(size - (stated[index] ?? 0)) < 0.05 * size
    expect(Object.entries(sizes).filter((entry, index) => !isNear(entry, index))).toEqual([])
  })

  test('asks and trades', async () => {
    await bundle(names.everything)
    await import(pathToFileURL(path.join(folder, 'built', 'main.js')).href)
    const { used } = globalThis as unknown as { used: ClientPackage }
    const { orders } = (await ask(used, world.url, 'AccountOrdersDocument', {
      account: world.market.accounts[0]?.address,
    }).then(({ account }) => account)) as { orders: { nodes: { uid: string; sellAmount: bigint }[] } }
    expect(typeof orders.nodes[0]?.sellAmount).toBe('bigint')
    const client = used.createClient({ url: world.url })
    const order = await used.waitForOrder(client, orders.nodes[0]?.uid ?? '')
    expect(order.uid).toBe(orders.nodes[0]?.uid)
  })
})
