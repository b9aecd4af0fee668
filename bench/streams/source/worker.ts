import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { type Database, openDatabase } from '../../../src/storage/database/database.ts'
import { answerParent } from '../apart.ts'
import { now } from '../clock.ts'
import { accountAt, messageOf } from '../event.ts'
import { type BenchEvent, commitBookEvents, commitEvents, commitMany } from './commit.ts'

/** The process that makes the events: for peers over a socket, for the program in the database. */

export interface Emission {
  /** A peer's name, or `database`, or `book`: events of orders in the database. */
  to: string
  first: number
  count: number
  /** Events per second. Without it, as fast as possible: into the database, by statements of many. */
  rate?: number
  /** The number of accounts, which alternate. */
  accounts: number
  /** The length of the message. */
  bytes: number
}

/** The start and end of sending each event; in the database, of its transaction. */
export interface Emitted {
  begun: Float64Array
  done: Float64Array
}

const [maxTransaction, maxStatement] = [100, 1_000]

const peers = new Map<string, Socket>()
let database: { url: string; db: Database } | undefined
let isStopped = false

async function send(to: string, events: readonly BenchEvent[], isPaced: boolean): Promise<void> {
  if (to === 'database' || to === 'book') {
    if (!database) throw new Error('no database is open')
    if (to === 'book') return commitBookEvents(database.db, events)
    return isPaced ? commitEvents(database.db, events) : commitMany(database.url, events)
  }
  const peer = peers.get(to)
  if (!peer) throw new Error(`${to} does not listen`)
  const timestamp = new Date().toISOString()
  const lines = events.map(({ number, account, message }) => {
    const event = { cursor: String(number), node: { type: 'order_filled', message, timestamp } }
    return `${account}\t${JSON.stringify(event)}\n`
  })
  peer.write(lines.join(''))
}

const handlers = {
  async listen(): Promise<number> {
    const server = createServer((socket) => {
      socket.setNoDelay(true)
      socket.once('data', (name) => peers.set(name.toString().trim(), socket))
      socket.on('error', () => {})
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return (server.address() as AddressInfo).port
  },

  connect(url: string): void {
    database = { url, db: openDatabase({ url, maxConnections: 4 }) }
  },

  /** Emits by a clock: events that are due go out together. */
  async emit({ to, first, count, rate, accounts, bytes }: Emission): Promise<Emitted> {
    const [begun, done] = [new Float64Array(count), new Float64Array(count)]
    const isPaced = rate !== undefined
    const max = isPaced ? maxTransaction : maxStatement
    isStopped = false
    const started = now()
    let sent = 0
    while (sent < count && !isStopped) {
      const due = isPaced ? Math.floor(((now() - started) / 1_000) * rate) + 1 : count
      const upTo = Math.min(due, count, sent + max)
      if (upTo > sent) {
        const events = Array.from({ length: upTo - sent }, (_, index) => {
          const number = first + sent + index
          return { number, account: accountAt(number % accounts), message: messageOf(number, bytes) }
        })
        begun.fill(now(), sent, upTo)
        await send(to, events, isPaced)
        done.fill(now(), sent, upTo)
        sent = upTo
      } else await pause(started + (sent * 1_000) / (rate ?? 1) - now())
    }
    return { begun: begun.slice(0, sent), done: done.slice(0, sent) }
  },

  halt(): void {
    isStopped = true
  },
}

export type SourceHandlers = typeof handlers

answerParent(handlers)
