import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { startBalancer } from '../../test/setup/balancer.ts'
import { startCuttingProxy } from '../../test/setup/cutting-proxy.ts'
import { startPooler } from '../../test/setup/pgbouncer.ts'
import { createProcesses, end, freePorts, type Started } from '../../test/setup/processes.ts'
import { startReceiver } from '../../test/setup/receiver.ts'
import { startRedis } from '../../test/setup/redis.ts'
import { startReplicated } from '../../test/setup/replica.ts'
import { startBenchChain } from '../servers/chain.ts'
import { build } from '../servers/program.ts'
import type { Undo } from '../setup.ts'

const root = path.join(import.meta.dirname, '..', '..')
const roles = ['serve', 'serve', 'serve', 'auction', 'auction', 'index', 'index', 'deliver']

/** One of the processes, also after a restart. */
export interface Member {
  name: string
  role: string
  /** @returns the exit code, the end in `performance.now()`, and the time until the next one was ready */
  restart(signal: NodeJS.Signals): Promise<{ code: number | null; goneAt: number; ms: number }>
}

export type Stand = Awaited<ReturnType<typeof startStand>>

export async function startStand(home: string, undo: Undo, print: (line: string) => void) {
  const after = <T extends AsyncDisposable>(one: T): T => {
    undo.push(async () => one[Symbol.asyncDispose]())
    return one
  }
  const target = path.join(root, 'bench', '.cache', `cluster_program_${process.pid}`)
  const program = build({ source: root, target, print })
  const chain = await startBenchChain(home, async () => {})
  undo.push(chain.stop)
  const { primary, replica } = after(await startReplicated())
  const redis = after(await startRedis())
  const receiver = after(await startReceiver())
  receiver.answer = () => ({ status: 200 })
  // The address that a switch-over moves, like a virtual address or a name.
  let current = primary
  const address = after(
    await startCuttingProxy(
      () => current.url,
      () => undefined,
    ),
  )
  const direct = new URL(primary.url)
  direct.port = new URL(address.url).port
  const pooler = after(await startPooler(direct.href))
  const processes = after(await createProcesses(chain, { databaseUrl: direct.href, program }))
  const ports = await freePorts(3)
  const environment = {
    DATABASE_URL: pooler.url,
    DATABASE_DIRECT_URL: direct.href,
    DATABASE_READ_URL: replica.url,
    REDIS_URL: redis.url,
    // High limits that no client meets, so that they are shared.
    RATE_LIMIT_READS: '100000',
    RATE_LIMIT_ORDERS: '1000',
    STREAMS_PER_CLIENT: '10000',
    CHANNEL_ALLOWED_HOSTS: '127.0.0.1',
    SHUTDOWN_DELAY_SECONDS: '5',
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'silent',
  }
  const members: Member[] = []
  // Sequential starts: together they would delay connections too long on a small machine.
  for (const [place, role] of roles.entries()) {
    const port = ports[place]
    const start = () => processes.start(role, { ...environment, ...(port && { PORT: `${port}` }) })
    let started: Started = await start()
    members.push({
      name: `${role} ${place - roles.indexOf(role) + 1}`,
      role,
      async restart(signal) {
        const code = await end(started.child, signal)
        const goneAt = performance.now()
        started = await start()
        return { code, goneAt, ms: performance.now() - goneAt }
      },
    })
  }
  const balancer = after(await startBalancer(ports))
  const accounts = chain.market.accounts.map(({ address }) => address)
  for (const [place, account] of accounts.entries())
    await primary.run(
      `INSERT INTO channels (id, account, kind, state, address, keys, created_at)
       VALUES ('${randomUUID()}', '\\x${account.slice(2)}', 'webhook', 'active', '${receiver.url}/${place}', '{"secret": "whsec_AAAA"}', now())`,
    )
  return {
    url: balancer.url,
    chain,
    accounts,
    members,
    redis,
    replica,
    received: receiver.received,
    /** Runs on the current primary. */
    run: (statement: string) => current.run(statement),
    /** Like a planned switch-over: the replica has all data when the primary has ended. */
    async switchOver() {
      await primary.stop()
      await replica.run('SELECT pg_promote(true)')
      current = replica
    },
  }
}
