import {
  appendFileSync,
  chownSync,
  cpSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { type DevDatabase, startDatabase } from '../../src/dev/database/database.ts'
import { applyMigrations } from '../../src/storage/database/migrations.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { connectDirectly } from './database.ts'
import { createTemporaryHome, removeTemporaryHome } from './home.ts'

/**
 * A migrated primary, and a replica that follows it. Both keep their addresses when they are stopped and
 * started.
 */
export interface Replicated extends AsyncDisposable {
  primary: Server
  replica: Server
}

interface Server {
  url: string
  run(statement: string): Promise<Record<string, unknown>[]>
  stop(): Promise<void>
  start(): Promise<void>
}

export async function startReplicated(): Promise<Replicated> {
  const homes = [createTemporaryHome(), createTemporaryHome()] as const
  const first = await startDatabase({ home: homes[0], log: silentLog })
  await applyMigrations(first.url)
  await stop(homes[0], first)
  copyCluster(...homes, first.url)
  const [primary, replica] = [await start(homes[0]), await start(homes[1])]
  return {
    primary,
    replica,
    async [Symbol.asyncDispose]() {
      await Promise.all(homes.map(removeTemporaryHome))
    },
  }
}

async function start(home: string): Promise<Server> {
  let server: DevDatabase | undefined = await startDatabase({ home, log: silentLog })
  const { url } = server
  return {
    url,
    async run(statement) {
      await using client = await connectDirectly(url)
      return (await client.query(statement)).rows
    },
    async stop() {
      if (server) await stop(home, server)
      server = undefined
    },
    async start() {
      server = await startDatabase({ home, log: silentLog })
      if (server.url !== url) throw new Error('the port was taken meanwhile')
    },
  }
}

/** A start prefers the port in the lock file, which a server removes at its end. */
async function stop(home: string, server: DevDatabase): Promise<void> {
  const lock = path.join(home, 'database', 'data', 'postmaster.pid')
  const text = readFileSync(lock, 'utf8')
  await server.stop()
  writeFileSync(lock, text)
}

/** A stopped cluster, as a replica that will follow it. */
function copyCluster(from: string, to: string, primaryUrl: string): void {
  const [source, target] = [from, to].map((home) => path.join(home, 'database')) as [string, string]
  cpSync(source, target, { recursive: true })
  const data = path.join(target, 'data')
  rmSync(path.join(data, 'postmaster.pid'))
  writeFileSync(path.join(data, 'standby.signal'), '')
  appendFileSync(path.join(data, 'postgresql.conf'), `\nprimary_conninfo = '${primaryUrl}'\n`)
  const { uid, gid } = lstatSync(source)
  for (const name of ['.', ...readdirSync(target, { recursive: true, encoding: 'utf8' })])
    chownSync(path.join(target, name), uid, gid)
}
