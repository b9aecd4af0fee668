import path from 'node:path'
import { createLog } from '../src/app/observing/log.ts'
import { applyMigrations } from '../src/storage/database/migrations.ts'
import { clear, type Filling, fill, findFilling } from './database/fill.ts'
import { openEmbedded } from './database/open.ts'
import { minOrders, shape } from './database/shape.ts'
import { cache, type Flag, number, type Print, root, toggle, type Undo } from './options.ts'
import { type FakeNode, startNode } from './servers/node.ts'
import type { ServerProcess } from './servers/process.ts'
import { startProgram } from './servers/program.ts'

const orders = number(
  `orders in the database; each with ${shape.auctions} auctions`,
  100_000,
  minOrders,
  10_000_000,
)

/** Flags of suites over a filled database. */
export const fillFlags = {
  // The number is rounded up to whole groups.
  orders: {
    ...orders,
    read: (text, name) => Math.ceil(orders.read(text, name) / shape.groupSize) * shape.groupSize,
  } satisfies Flag<number>,
  brief: number('further orders, with an event or two each', 0, 0, 100_000_000),
  fresh: toggle('fill anew'),
}

interface FillOptions {
  orders: number
  brief: number
  fresh: boolean
  home: string
}

/** Returns the database, filled now or by an earlier run. */
export async function prepareDatabase(
  { orders, brief, fresh, home }: FillOptions,
  undo: Undo,
  print: Print,
  name = `bench_${orders}${brief ? `_${brief}` : ''}`,
): Promise<{ url: string; filling: Filling }> {
  const url = process.env.DATABASE_URL || (await embedded(name, home, undo))
  const report = (filling: Filling, how: string) => {
    const { seconds, bytes } = filling
    const each = (bytes / (orders + brief) / 1024).toFixed(1)
    print(
      `database: ${orders + brief} orders, ${how} ${seconds.toFixed(1)} s; ${(bytes / 2 ** 20).toFixed(0)} MiB, ${each} KiB an order`,
    )
    return { url, filling }
  }
  const known = fresh ? undefined : await current(url, orders, brief, print)
  if (known) return report(known, 'filled before, in')
  await clear(url)
  return report(await fill(url, { orders, brief }, print), 'filled and analysed in')
}

/** Applies new migrations; an edited one invalidates the fill. */
async function current(
  url: string,
  orders: number,
  brief: number,
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

/** Starts the program, and another checkout of it, each in its own process. */
export async function startServers(
  { against }: { against: string | undefined },
  databaseUrl: string,
  undo: Undo,
  print: Print,
): Promise<{ systems: Record<string, ServerProcess>; node: FakeNode }> {
  const node = await startNode()
  undo.push(node.close)
  const systems: Record<string, ServerProcess> = {}
  // The reads include feeds.
  const env = { CMS_ENABLED: 'true', CMS_API_KEY: 'bench-bench-bench' }
  const sources = { tradegraph: root, ...(against !== undefined && { against }) }
  for (const [name, source] of Object.entries(sources)) {
    const target = path.join(cache, name)
    const server = await startProgram({ source, target, databaseUrl, rpcUrl: node.url, env, print })
    undo.push(server.stop)
    systems[name] = server
  }
  return { systems, node }
}
