import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { applyMigrations } from '../../src/storage/database/migrations.ts'
import { openEmptyDatabase } from '../database/empty.ts'
import { post } from '../load/question.ts'
import { askOnce } from '../load/turn.ts'
import { type CommonOptions, cache, type Print, type Undo } from '../options.ts'
import { startNode } from '../servers/node.ts'
import { type ServerProcess, startServer } from '../servers/process.ts'
import { startProgram } from '../servers/program.ts'
import { startApart } from './apart.ts'
import type { Crowds } from './crowd/apart.ts'
import { startCrowds } from './crowd/apart.ts'
import type { Reader } from './crowd/crowd.ts'
import { accountAt, nextFor } from './event.ts'
import type { Emission, Emitted, SourceHandlers } from './source/worker.ts'
import { sourceUrl } from './statements.ts'

export interface System {
  name: string
  server: ServerProcess
  /** The path of its streams. */
  path: string
  /** Its name in the source: a peer's, or that of the writer to the program's database. */
  to: string
  /** The subscription; by default `streamDocument`. */
  document?: string
}

export interface Stand {
  program: System
  peer: System
  crowds: Crowds
  databaseUrl: string
  /** Makes events, each numbered after the previous one. */
  emit(emission: Omit<Emission, 'first'>): Promise<Emitted & { first: number }>
  /**
   * Opens readers behind the last event; the program's have a cursor, so that none is missed at the start.
   */
  readers(system: System, count: number, accounts: number): Promise<Reader[]>
  /** Starts another process of the program over the same database. @param port 0 for any */
  startAnother(port: number, settings?: Record<string, string>): Promise<ServerProcess>
}

const streamPath = '/graphql/stream'
const processes = 2
/** A low resolution for the loop: a timer each millisecond would be most of an idle server's work. */
const env = { WATCH_RESOLUTION_MS: '20' }

export async function buildStand(
  options: Pick<CommonOptions, 'home'> & { source: string; profile: string | undefined },
  undo: Undo,
  print: Print,
): Promise<Stand> {
  const database = await openEmptyDatabase(options.home, 'streams')
  undo.push(database.stop)
  await applyMigrations(database.url)
  const node = await startNode()
  undo.push(node.close)
  const source = startApart<SourceHandlers>(path.join(import.meta.dirname, 'source', 'worker.ts'))
  undo.push(source.stop)
  const crowds = startCrowds(processes)
  undo.push(crowds.stop)
  const sourcePort = await source.listen()
  await source.connect(await sourceUrl(database.url))

  const settings = {
    ...env,
    CMS_ENABLED: 'true',
    CMS_API_KEY: 'bench-bench-bench',
    BOOK_FEED_ACCESS: 'public',
    STREAMS_PER_CLIENT: '0',
    STREAMS_TOTAL: '0',
  }
  const program = {
    source: options.source,
    target: path.join(cache, 'streams_program'),
    databaseUrl: database.url,
    rpcUrl: node.url,
    profile: options.profile,
    print,
  }
  const server = await startProgram({ ...program, env: settings })
  undo.push(server.stop)
  const name = 'shared-buffer'
  const peer = await startServer({
    name,
    args: [path.join(import.meta.dirname, 'shared-buffer.mjs')],
    env: { ...env, SOURCE_PORT: String(sourcePort) },
  })
  undo.push(peer.stop)
  let last = 0
  return {
    program: { name: 'tradegraph', server, path: streamPath, to: 'database' },
    peer: { name, server: peer, path: streamPath, to: name },
    crowds,
    databaseUrl: database.url,
    async emit(emission) {
      const first = last + 1
      last += emission.count
      return { ...(await source.emit({ ...emission, first })), first }
    },
    async readers({ server: of }, count, accounts) {
      const after = of === server ? await headOf(server.port) : null
      return Array.from({ length: count }, (_, index) => ({
        account: accountAt(index % accounts),
        next: nextFor(index % accounts, accounts, last),
        stride: accounts,
        after,
      }))
    },
    async startAnother(port, more = {}) {
      const env = { ...settings, ...more, PORT: String(port) }
      const another = await startProgram({ ...program, built: true, env })
      undo.push(another.stop)
      return another
    },
  }
}

const headQuestion = post(
  '/graphql',
  JSON.stringify({ query: `{notifications(account:"${accountAt(999_999)}",last:1){cursor}}` }),
)
export const readQuestion = { request: headQuestion, expect: '"cursor"' }
const headTimeoutMs = 10_000

/** Returns a cursor before all later commits. @throws when there is none in time */
async function headOf(port: number): Promise<string> {
  const deadline = performance.now() + headTimeoutMs
  for (;;) {
    const { body } = await askOnce(port, headQuestion)
    const cursor = /"cursor":"([^"]+)"/.exec(body.toString())?.[1]
    if (cursor) return cursor
    if (performance.now() > deadline) throw new Error(`no cursor: ${body}`)
    await pause(200)
  }
}
