import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Client } from 'pg'
import { eventually } from './eventually.ts'
import { freePorts } from './processes.ts'

/** PgBouncer in transaction mode before the server of a URL. */
export interface Pooler extends AsyncDisposable {
  /** The same database, through the pooler. */
  url: string
}

const settings = {
  pool_mode: 'transaction',
  default_pool_size: 8,
  max_client_conn: 500,
  auth_type: 'any',
  // Else it refuses for 15 seconds after a server that did not answer, such as one that was just switched
  // over.
  server_login_retry: 1,
}

export async function startPooler(databaseUrl: string): Promise<Pooler> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tradegraph-pooler-'))
  chmodSync(folder, 0o755)
  const [port] = await freePorts(1)
  const { hostname, port: serverPort, username, password, pathname } = new URL(databaseUrl)
  const target = { host: hostname, port: serverPort || 5432, user: username, ...(password && { password }) }
  const file = path.join(folder, 'pgbouncer.ini')
  const lines = Object.entries({
    ...settings,
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
  })
  writeFileSync(
    file,
    [
      '[databases]',
      `* = ${Object.entries(target)
        .map(([name, value]) => `${name}=${value}`)
        .join(' ')}`,
      '[pgbouncer]',
      ...lines.map(([name, value]) => `${name} = ${value}`),
    ].join('\n'),
  )
  // It refuses to run as root.
  const asUser = process.getuid?.() === 0 ? ['--user', 'postgres'] : []
  const child = spawn('pgbouncer', ['--quiet', ...asUser, file], {
    env: { PATH: `${process.env.PATH}:/usr/sbin` },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  const ended = once(child, 'exit')
  const url = new URL(`postgres://pooled@127.0.0.1:${port}${pathname}`).href
  await eventually('the pooler answers', () => {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended: ${log}`)
    return answers(url)
  })
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill('SIGINT')
      setTimeout(() => child.kill('SIGKILL'), 2_000).unref()
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('SELECT 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}
