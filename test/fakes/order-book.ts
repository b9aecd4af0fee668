import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import type { Network } from '../../src/domain/network/network.ts'
import type { OrderData, OrderUid } from '../../src/domain/order/order.ts'
import { orderUid } from '../../src/domain/signing/signing.ts'

export type Answer = (req: IncomingMessage, res: ServerResponse) => void

type Hex = `0x${string}`

/** An order in the public shape, with what its list is sorted by. */
export interface ScriptedOrder extends Record<string, unknown> {
  uid: OrderUid
  owner: Hex
  creationDate: string
}

interface ScriptedTrade {
  orderUid: OrderUid
  owner: Hex
  txHash: Hex
  blockNumber: number
  logIndex: number
  executedProtocolFees?: readonly object[]
}

export function json(
  res: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

const asJson = { 'content-type': 'application/json' }

/** Ways in which a network that distributes content sends an answer. */
export const deliveries = {
  whole: (res: ServerResponse, text: string) => res.writeHead(200, asJson).end(text),
  gzip: (res: ServerResponse, text: string) =>
    res.writeHead(200, { ...asJson, 'content-encoding': 'gzip' }).end(gzipSync(text)),
  brotli: (res: ServerResponse, text: string) =>
    res.writeHead(200, { ...asJson, 'content-encoding': 'br' }).end(brotliCompressSync(text)),
  chunked(res: ServerResponse, text: string) {
    res.writeHead(200, { ...asJson, 'content-encoding': 'gzip' })
    const bytes = gzipSync(text)
    for (let from = 0; from < bytes.length; from += 13) res.write(bytes.subarray(from, from + 13))
    res.end()
  },
} satisfies Record<string, (res: ServerResponse, text: string) => void>

/** The page of an error, which names what nobody outside may see. */
export const errorPage = '<html><h1>Origin backend-7.internal (10.0.3.7) refused</h1></html>'
const asHtml = { 'content-type': 'text/html' }

/** Ways in which such a network fails. */
export const failures: Record<string, Answer> = {
  'a 429 without Retry-After': (_, res) =>
    res.writeHead(429, { 'content-type': 'text/plain' }).end('Too Many Requests'),
  'a page with 502': (_, res) => res.writeHead(502, asHtml).end(errorPage),
  'a page with 403': (_, res) => res.writeHead(403, asHtml).end(errorPage),
  'a page with 200': (_, res) => res.writeHead(200, asHtml).end(errorPage),
  'a connection that closes midway': (_, res) =>
    res.writeHead(200, asJson).write('[{"creationDate":"2026-05-29', () => res.destroy()),
  'half of what is compressed': (_, res) => {
    const bytes = gzipSync(JSON.stringify(Array.from({ length: 1_000 }, (_, index) => index)))
    res.writeHead(200, { ...asJson, 'content-encoding': 'gzip' }).end(bytes.subarray(0, bytes.length / 2))
  },
}

/**
 * An order book that answers as a test says. Without an answer of the test it serves its scripted bodies,
 * orders, trades and competitions in the public shapes, and knows nothing else.
 */
export async function startOrderBook() {
  const answers = new Map<string, Answer>()
  const calls: string[] = []
  const orders = new Map<OrderUid, ScriptedOrder>()
  const byOwner = new Map<string, ScriptedOrder[]>()
  const trades: ScriptedTrade[] = []
  const competitions = new Map<number, object>()
  /** Bodies by method and path. */
  const bodies = new Map<string, unknown>()
  const state: { isAway: boolean; delivery: keyof typeof deliveries; failure: Answer | undefined } = {
    isAway: false,
    delivery: 'whole',
    failure: undefined,
  }

  const missing = (res: ServerResponse) =>
    json(res, 404, { errorType: 'NotFound', description: 'there is no such thing' })

  function answerOf(method: string, path: string, query: URLSearchParams, body: string): unknown {
    const [, , version, kind, name = '', more] = path.split('/')
    if (kind === 'orders' && name === 'by_uids' && method === 'POST')
      return (JSON.parse(body) as OrderUid[]).flatMap((uid) => {
        const order = orders.get(uid)
        return order ? [{ order }] : []
      })
    if (kind === 'orders' && more === undefined) return orders.get(name as OrderUid)
    if (kind === 'account' && more === 'orders') {
      const offset = Number(query.get('offset') ?? 0)
      return (byOwner.get(name) ?? []).slice(offset, offset + Number(query.get('limit') ?? 10))
    }
    if (kind === 'transactions' && more === 'orders')
      return trades.flatMap(({ txHash, orderUid }) => (txHash === name ? [orders.get(orderUid)] : []))
    if (kind === 'trades') {
      const [owner, uid] = [query.get('owner'), query.get('orderUid')]
      return trades.filter((trade) => (owner === null ? trade.orderUid === uid : trade.owner === owner))
    }
    if (kind === 'solver_competition' && version === 'v2')
      return competitions.get(name === 'latest' ? Math.max(...competitions.keys()) : Number(name))
    return undefined
  }

  const server = createServer((req, res) => {
    const call = `${req.method} ${req.url}`
    calls.push(call)
    if (state.isAway) return void req.socket.destroy()
    const answer = state.failure ?? answers.get(call)
    if (answer) return answer(req, res)
    let text = ''
    req.setEncoding('utf8')
    req.on('data', (part: string) => {
      text += part
    })
    req.on('end', () => {
      const { pathname, searchParams } = new URL(req.url ?? '', 'http://book')
      const found = bodies.get(call) ?? answerOf(req.method ?? '', pathname, searchParams, text)
      if (found === undefined) missing(res)
      else deliveries[state.delivery](res, JSON.stringify(found))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    answers,
    bodies,
    calls,
    trades,
    competitions,
    state,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Adds an order to the lists of its owner, newest first. */
    add(order: ScriptedOrder): ScriptedOrder {
      orders.set(order.uid, order)
      const list = byOwner.get(order.owner) ?? []
      byOwner.set(order.owner, list)
      const at = list.findIndex(({ creationDate }) => creationDate <= order.creationDate)
      list.splice(at < 0 ? list.length : at, 0, order)
      return order
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

export type FakeOrderBook = Awaited<ReturnType<typeof startOrderBook>>

let count = 0

/** An order that its owner signs on chain, as an order book writes it, each with another amount and time. */
export function scriptedOrder(
  network: Network,
  owner: Hex,
  tokens: readonly [Hex, Hex],
  more: Record<string, unknown> = {},
): ScriptedOrder {
  count += 1
  const [sellToken, buyToken] = tokens
  const data = {
    sellToken,
    buyToken,
    receiver: owner,
    validTo: 1_900_000_000,
    appData: keccakText('{}'),
    kind: 'sell',
    partiallyFillable: false,
    sellTokenBalance: 'erc20',
    buyTokenBalance: 'erc20',
  } as const
  const sellAmount = 10n ** 15n + BigInt(count)
  const amounts = { sellAmount, buyAmount: 10n ** 6n, feeAmount: 0n }
  const texts = { sellAmount: String(sellAmount), buyAmount: String(10n ** 6n), feeAmount: '0' }
  return {
    ...data,
    ...texts,
    owner,
    uid: orderUid(network, { ...data, ...amounts } as OrderData, owner),
    signingScheme: 'presign',
    signature: owner,
    fullAppData: '{}',
    status: 'presignaturePending',
    creationDate: new Date(1_780_000_000_000 + count * 1_000).toISOString(),
    class: 'limit',
    executedSellAmount: '0',
    executedBuyAmount: '0',
    executedFee: '0',
    invalidated: false,
    ...more,
  }
}
