import { answerParent } from '../streams/apart.ts'
import { type OpenStream, openStream } from '../streams/crowd/stream.ts'

/** Amounts by token. */
export type Known = Record<string, string>

export interface WatchOptions {
  port: number
  from: string
  /** The query of every stream. */
  search: string
  accounts: readonly string[]
  /** The number of connections that are opened at the same time. */
  atOnce: number
}

interface Watcher {
  account: string
  known: Known
  hasAll: boolean
  stream: OpenStream | undefined
}

export interface Standing {
  open: number
  /** Watchers that have all balances. */
  complete: number
  updates: number
  outages: number
  /** Reasons for which connections ended. */
  ended: Record<string, number>
}

/** The maximum length of a reason; the rest has an id. */
const longestReason = 40
let watchers: Watcher[] = []
/** The block and arrival time of each block's update. */
let arrivals: [block: number, at: number][] = []
let [open, updates, outages] = [0, 0, 0]
const ended: Record<string, number> = {}

function hear(watcher: Watcher, text: string, at: number): void {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1]
  const data = JSON.parse(field('data') ?? 'null')
  switch (field('event')) {
    case 'initial_balances':
      watcher.known = Object.fromEntries(
        data.balances.map((each: { balance: string; token: { address: string } }) => [
          each.token.address,
          each.balance,
        ]),
      )
      watcher.hasAll = true
      return
    case 'balance_update': {
      if (data.newBalance !== undefined) watcher.known[data.tokenAddress] = data.newBalance
      updates++
      const id = field('id')
      if (id !== undefined) arrivals.push([Number.parseInt(id, 10), at])
      return
    }
    case 'error':
      watcher.hasAll = false
      outages++
  }
}

function connect(watcher: Watcher, { port, from, search }: WatchOptions): Promise<void> {
  const path = `/sepolia/accounts/${watcher.account}/balances/sse?${search}`
  const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n`
  return new Promise((resolve) => {
    watcher.stream = openStream(
      { port, from, request },
      {
        opened() {
          open++
          resolve()
        },
        hear: (text, start, end, at) => hear(watcher, text.toString('utf8', start, end), at),
        ended(fault = 'ended') {
          open--
          const reason = fault.slice(0, longestReason)
          ended[reason] = (ended[reason] ?? 0) + 1
          resolve()
        },
      },
    )
  })
}

const handlers = {
  async watch(options: WatchOptions): Promise<void> {
    watchers = options.accounts.map((account) => ({ account, known: {}, hasAll: false, stream: undefined }))
    let next = 0
    const opening = Array.from({ length: options.atOnce }, async () => {
      for (let watcher = watchers[next++]; watcher; watcher = watchers[next++])
        await connect(watcher, options)
    })
    await Promise.all(opening)
  },
  standing: (): Standing => ({
    open,
    complete: watchers.filter(({ hasAll }) => hasAll).length,
    updates,
    outages,
    ended,
  }),
  /** Takes the arrivals since the last call. */
  take(): [number, number][] {
    const taken = arrivals
    arrivals = []
    return taken
  },
  /** @returns the number of watchers with other balances */
  wrong: (expected: Record<string, Known>): number =>
    watchers.filter(({ account, known }) =>
      Object.entries(expected[account] ?? {}).some(([token, balance]) => known[token] !== balance),
    ).length,
}

export type WatchHandlers = typeof handlers

answerParent(handlers)
