import { setTimeout as pause } from 'node:timers/promises'
import {
  createSender,
  type Exchanged,
  type Follower,
  followSteadily,
  type Sent,
  sendSteadily,
} from '../../test/setup/steadily.ts'
import { createTrader } from '../../test/setup/trader.ts'
import type { Stand } from './stand.ts'

/** The clients' traffic during one part. */
export interface Traffic {
  reads: Exchanged[]
  /** Orders, and their owners' reads right after. */
  orders: Exchanged[]
  ownReads: Exchanged[]
  /** The maximum of blocks by which an answer was behind the chain. */
  blocksBehind: number
}

export interface Followed {
  feed: 'feed_entries' | 'order_feed'
  account: string
  follower: Follower
}

/** Follows, in turn, an account's notifications and its orders' events. */
export function followAll({ url, accounts }: Stand, count: number): Followed[] {
  return Array.from({ length: count }, (_, place) => {
    const account = accounts[(place >> 1) % accounts.length] ?? ''
    const [feed, field] =
      place % 2 === 0
        ? (['feed_entries', `notifications(account: "${account}", after: "earliest")`] as const)
        : (['order_feed', `orderEvents(owner: "${account}", after: "earliest")`] as const)
    const query = new URLSearchParams({ query: `subscription { ${field} { cursor } }` })
    return { feed, account, follower: followSteadily(`${url}/graphql/stream?${query}`) }
  })
}

const swap = { sell: 'WETH', buy: 'USDC', buyAmount: 1n } as const
const recent = 100

/** Counts over all parts, so that no two orders are equal. */
let placed = 0
const uids: string[] = []

/** Starts traffic, which runs until it is stopped. */
export function startTraffic(
  { url, chain, accounts }: Stand,
  { rate, orders }: { rate: number; orders: number },
) {
  const send = createSender(url)
  const { name } = chain.market.network
  const traders = accounts.map((_, place) => createTrader(url, chain.market, place))
  const graphql = (query: string, answer: RegExp): Sent => ({ path: '/graphql', body: { query }, answer })
  const orderOf = (uid: string): Sent => ({ path: `/${name}/api/v1/orders/${uid}`, answer: /"uid"/ })
  const traffic: Traffic = { reads: [], orders: [], ownReads: [], blocksBehind: 0 }
  let isStopped = false

  const next = (place: number): Sent => {
    const uid = uids[uids.length - 1 - (place % Math.min(uids.length, recent))]
    const account = accounts[place % accounts.length] ?? ''
    const questions: (() => Sent)[] = [
      () => ({ path: `/${name}/api/v1/account/${account}/orders?limit=10`, answer: /^\[/ }),
      () => graphql('{ meta { block { number } lag { blocks } } }', /"number"/),
      ...(uid
        ? [
            () => orderOf(uid),
            () => graphql(`{ order(uid: "${uid}") { status events { nodes { label } } } }`, /"status"/),
          ]
        : []),
    ]
    return (questions[place % questions.length] as () => Sent)()
  }

  async function trade(): Promise<void> {
    const underWay: Promise<void>[] = []
    const one = async (number: number) => {
      const trader = traders[number % traders.length] as (typeof traders)[number]
      const body = await trader.sign({ ...swap, sellAmount: 10n ** 15n + BigInt(number) })
      const placing = { path: `/${name}/api/v1/orders`, body, answer: /0x/, status: 201 }
      const exchanged = await send(placing)
      traffic.orders.push(exchanged)
      if (exchanged.fault !== undefined) return
      const uid = JSON.parse(exchanged.text)
      traffic.ownReads.push(await send(orderOf(uid)))
      uids.push(uid)
    }
    while (!isStopped) {
      underWay.push(one(placed++))
      await pause(60_000 / orders)
    }
    await Promise.all(underWay)
  }

  async function watchAge(): Promise<void> {
    const latest = () => chain.rpcUrl && rpc<string>(chain.rpcUrl, 'eth_blockNumber', []).then(Number)
    while (!isStopped) {
      const before = await latest()
      const { text, fault } = await send(graphql('{ meta { block { number } } }', /"number"/))
      const seen = fault === undefined ? Number(JSON.parse(text).data.meta.block.number) : before
      traffic.blocksBehind = Math.max(traffic.blocksBehind, Number(before) - Number(seen))
      await pause(1_000)
    }
  }

  const stopReads = sendSteadily(send, rate, next)
  const running = Promise.all([trade(), watchAge()])
  return async (): Promise<Traffic> => {
    isStopped = true
    traffic.reads = await stopReads()
    await running
    send[Symbol.dispose]()
    return traffic
  }
}

export async function rpc<T>(url: string, method: string, params: unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const { result, error } = (await answer.json()) as { result: T; error?: { message: string } }
  if (error) throw new Error(error.message)
  return result
}
