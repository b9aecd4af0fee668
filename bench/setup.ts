import path from 'node:path'
import { createLog } from '../src/app/observing/log.ts'
import { applyMigrations } from '../src/storage/database/migrations.ts'
import { clear, type Filling, fill, fillMirrored, findFilling } from './database/fill.ts'
import { openEmbedded } from './database/open.ts'
import { cache, type Options } from './options.ts'
import { type FakeNode, startNode } from './servers/node.ts'
import { startPostgraphile } from './servers/postgraphile.ts'
import { type ServerProcess, startServer } from './servers/process.ts'
import { benchNetwork, startProgram } from './servers/program.ts'
import type { DebugServers } from './suites/debug.ts'

type Print = (line: string) => void

/** Cleanups that always run at the end, the last one first. */
export type Undo = (() => Promise<void> | void)[]

export interface FilledDatabase {
  url: string
  filling: Filling
}

/** Returns the database, filled now or by an earlier run. */
export async function prepareDatabase(
  options: Pick<Options, 'orders' | 'fresh' | 'home' | 'databaseUrl'> & Partial<Pick<Options, 'brief'>>,
  undo: Undo,
  print: Print,
  name = `bench_${options.orders}${options.brief ? `_${options.brief}` : ''}`,
): Promise<FilledDatabase> {
  const { orders, brief = 0, fresh, home, databaseUrl } = options
  const url = databaseUrl ?? (await embedded(name, home, undo))
  const known = fresh ? undefined : await current(url, { orders, brief }, print)
  if (known) return told(known, 'filled before, in')
  await clear(url)
  return told(await fill(url, { orders, brief }, print), 'filled and analysed in')

  function told(filling: Filling, how: string): FilledDatabase {
    const { seconds, bytes } = filling
    const each = (bytes / (orders + brief) / 1024).toFixed(1)
    print(
      `database: ${orders + brief} orders, ${how} ${seconds.toFixed(1)} s; ${(bytes / 2 ** 20).toFixed(0)} MiB, ${each} KiB an order`,
    )
    return { url, filling }
  }
}

/** Applies new migrations; an edited one invalidates the fill. */
async function current(
  url: string,
  { orders, brief }: Pick<Filling, 'orders' | 'brief'>,
  print: Print,
): Promise<Filling | undefined> {
  const filling = await findFilling(url, orders, brief)
  if (!filling) return undefined
  try {
    await applyMigrations(url)
    return filling
  } catch (error) {
    print(`the filling is thrown away: ${error instanceof Error ? error.message : error}`)
    return undefined
  }
}

async function embedded(name: string, home: string, undo: Undo): Promise<string> {
  const server = await openEmbedded(home, name, createLog('warn'))
  undo.push(server.stop)
  return server.url
}

export interface Stand {
  servers: DebugServers
  node: FakeNode
  /** The order book that the mirrored program follows. */
  orderBook: FakeNode | undefined
  /** The reason for which PostGraphile is missing. */
  withoutPostgraphile: string | undefined
}

/** Starts every server of a run, each in its own process. */
export async function startServers(
  options: Options,
  databaseUrl: string,
  undo: Undo,
  print: Print,
): Promise<Stand> {
  const { against } = options
  const source = path.join(import.meta.dirname, '..')
  const node = await startNode()
  undo.push(node.close)
  const orderBook = options.mirrored ? await startNode() : undefined
  if (orderBook) undo.push(orderBook.close)
  // Before any server: PostgreSQL copies no database that has connections.
  const mirrored = orderBook && {
    databaseUrl: await fillMirrored(databaseUrl, orderBook.url),
    network: { ...benchNetwork, orderBook: { url: orderBook.url } },
  }
  const keep = (server: ServerProcess) => {
    undo.push(server.stop)
    return server
  }
  const program = async (source: string, name: string, mirrored?: { databaseUrl: string; network: object }) =>
    keep(
      await startProgram({
        source,
        target: path.join(cache, name),
        databaseUrl,
        rpcUrl: node.url,
        ...mirrored,
        // The reads include feeds.
        env: { CMS_ENABLED: 'true', CMS_API_KEY: 'bench-bench-bench' },
        print,
      }),
    )
  const oneStatement = keep(
    await startServer({
      name: 'one statement',
      args: ['--import', 'tsx', path.join(import.meta.dirname, 'servers', 'one-statement.ts'), databaseUrl],
    }),
  )
  const other = async () => {
    if (against !== undefined) return program(path.resolve(against), 'against')
    if (!mirrored) return undefined
    const { databaseUrl } = mirrored
    return { ...(await program(source, 'mirrored', mirrored)), databaseUrl }
  }
  const servers = {
    program: await program(source, 'program'),
    other: await other(),
    oneStatement,
  }
  if (!options.postgraphile) return { servers, node, orderBook, withoutPostgraphile: '--no-postgraphile' }
  try {
    const postgraphile = keep(await startPostgraphile(path.join(cache, 'postgraphile'), databaseUrl))
    return { servers: { ...servers, postgraphile }, node, orderBook, withoutPostgraphile: undefined }
  } catch (error) {
    const withoutPostgraphile = error instanceof Error ? error.message : String(error)
    return { servers, node, orderBook, withoutPostgraphile }
  }
}
