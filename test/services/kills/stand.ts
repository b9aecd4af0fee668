import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import pg from 'pg'

/** The cost of a process. */
interface Cost {
  cpuMs: number
  statements: number
}

export interface Deliverer {
  move(offset: number): Promise<Cost>
  /** Ends the process at once, wherever it is. */
  kill(): Promise<void>
}

export async function startDeliverer(url: string, timeoutMs: number): Promise<Deliverer> {
  const child: ChildProcess = fork(path.join(import.meta.dirname, 'deliverer.ts'), [url, `${timeoutMs}`], {
    execArgv: ['--import', 'tsx'],
  })
  await once(child, 'message')
  return {
    async move(offset) {
      const answer = once(child, 'message')
      child.send({ offset })
      return ((await answer) as [Cost])[0]
    },
    async kill() {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}

/** An arrived message. */
interface Arrival {
  channel: number
  /** The message's place in the order in which its channel's messages were written. */
  place: number
  id: string
  at: number
  isTaken: boolean
}

/**
 * The receiver's behaviour. A number: accepts after so many milliseconds. `hang`: the connection stays open
 * without an answer.
 */
export type Answer = 'take' | 'refuse' | 'nothing' | 'late' | 'hang' | number

/** The delay of late answers, by which silent connections are closed: a busy machine changes no outcome. */
const lateMs = 100

/** Starts a server that answers each channel as configured, and keeps its messages. */
export async function startReceiver(answerTo: (channel: number) => Answer) {
  const arrivals: Arrival[] = []
  let open = 0
  let lastAt = 0
  const server = createServer((request, response) => {
    open++
    lastAt = performance.now()
    response.once('close', () => {
      open--
      lastAt = performance.now()
    })
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const channel = Number(request.url?.slice(1))
      const answer = answerTo(channel)
      const { data } = JSON.parse(Buffer.concat(chunks).toString('utf8'))
      const id = String(request.headers['webhook-id'])
      const isTaken = answer === 'take' || answer === 'late' || typeof answer === 'number'
      arrivals.push({ channel, place: Number(data.message), id, at: Date.now(), isTaken })
      if (answer === 'hang') return
      if (answer === 'nothing') return setTimeout(() => request.socket.destroy(), lateMs)
      const send = () => response.writeHead(isTaken ? 200 : 500).end()
      if (typeof answer === 'number') setTimeout(send, answer)
      else if (answer === 'late') setTimeout(send, lateMs)
      else send()
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals,
    idleMs: () => (open > 0 ? 0 : performance.now() - lastAt),
    async stop() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

/** Replaces all channels by confirmed webhooks of as many accounts. */
export async function writeChannels(client: pg.Client, url: string, count: number): Promise<void> {
  await client.query('TRUNCATE deliveries, channels, channel_wakes, feed_entries, notifications')
  await client.query(
    `INSERT INTO channels (id, account, kind, state, address, keys, created_at)
     SELECT gen_random_uuid(), decode(lpad(to_hex(g), 40, '0'), 'hex'), 'webhook', 'active', $1 || '/' || g, '{"secret": "whsec_AAAA"}', now()
     FROM generate_series(0, $2::int - 1) g`,
    [url, count],
  )
}

/** Writes one notification for each account. The message is its place among those of the account. */
export async function notify(client: pg.Client, accounts: readonly number[], place: number): Promise<void> {
  await client.query(
    `INSERT INTO notifications (cause, chain_id, account, type, message, timestamp, metadata)
     SELECT $2 || ':' || a, 1, decode(lpad(to_hex(a), 40, '0'), 'hex'), 'order_filled', $2::text, now(), '{}' FROM unnest($1::int[]) a`,
    [accounts, place],
  )
}

export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}
