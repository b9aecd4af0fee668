import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mulDivDown, mulDivUp } from '../../src/domain/amount.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import { type Pool, poolInputUp, poolOutputDown } from '../../src/domain/routing/pool.ts'

/**
 * An external solver: a real HTTP server that answers `POST /solve` as an engine and `GET /quote` as a
 * driver.
 *
 *     const outside = await startSolverEngine(atPrices(prices))   // without an argument it hangs
 *     QUOTE_ESTIMATORS: [{ kind: 'engine', name: 'x', url: outside.url, address }]   // or kind 'driver'
 *     outside.behaves(status(500))                               // from now on
 *     outside.asked                                              // all requests so far: path, query, headers, body
 *     await outside.close()
 *
 * Behaviours
 * - that work: `atPrices(prices, more)` trades at given prices in both protocols; `throughPools({ times })`
 *   answers /solve with a swap through the one best pool of the request, honest, or with a promise so many
 *   thousandths of what the pool pays
 * - that refuse: `refusing(code, text)`
 * - that fail: `hanging`, `dripping`, `resetting`, `status(code, headers)`, `saying(text, status, headers)`,
 *   `huge(bytes)`, `nested(levels)`, `cutOff`
 * - anything else: `answering(body, status)`, or a function of the request
 */
export type Behaviour = (question: GraphqlParams, response: ServerResponse) => void

export interface GraphqlParams {
  method: string
  path: string
  query: Record<string, string>
  headers: IncomingMessage['headers']
  /** Parsed; undefined for GET. */
  body: unknown
}

export interface SolverEngineFake {
  url: string
  asked: GraphqlParams[]
  behaves(behaviour: Behaviour): void
  /** Resolves once this many requests have arrived, including earlier ones. */
  wasAsked(times: number): Promise<void>
  close(): Promise<void>
}

export async function startSolverEngine(behaviour: Behaviour = hanging): Promise<SolverEngineFake> {
  const asked: GraphqlParams[] = []
  const watchers = new Set<() => void>()
  let current = behaviour
  const server = createServer(async (request, response) => {
    response.on('error', () => {})
    const question = await readQuestion(request)
    asked.push(question)
    for (const watcher of watchers) watcher()
    current(question, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    behaves(next) {
      current = next
    },
    wasAsked: (times) =>
      new Promise((resolve) => {
        const look = () => {
          if (asked.length < times) return
          watchers.delete(look)
          resolve()
        }
        watchers.add(look)
        look()
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function readQuestion(request: IncomingMessage): Promise<GraphqlParams> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  const url = new URL(request.url ?? '/', 'http://fake')
  return {
    method: request.method ?? '',
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: request.headers,
    body: text ? JSON.parse(text) : undefined,
  }
}

export const hanging: Behaviour = () => {}

/** Sends a byte every 20 ms without end. */
export const dripping: Behaviour = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{')
  const drip = setInterval(() => response.write(' '), 20)
  response.on('close', () => clearInterval(drip))
}

export const resetting: Behaviour = (_, response) => void response.socket?.resetAndDestroy()

/** Sends less than its content length. */
export const cutOff: Behaviour = (_, response) => {
  response.writeHead(200, { 'content-length': 1_000 }).write('{"solutions":', () => response.destroy())
}

export function answering(body: unknown, code = 200): Behaviour {
  return saying(JSON.stringify(body), code)
}

export function saying(text: string, code = 200, headers: Record<string, string> = {}): Behaviour {
  return (_, response) => void response.writeHead(code, headers).end(text)
}

export function status(code: number, headers: Record<string, string> = {}): Behaviour {
  return saying('<html>no</html>', code, headers)
}

/** Sends up to `bytes` bytes as fast as they are read, without a content length. */
export function huge(bytes: number): Behaviour {
  return (_, response) => {
    const piece = Buffer.alloc(64 * 1_024, ' ')
    let left = bytes
    const write = (): void => {
      while (left > 0 && !response.destroyed) {
        left -= piece.length
        if (!response.write(piece)) return void response.once('drain', write)
      }
      response.end()
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    write()
  }
}

export function nested(levels: number): Behaviour {
  return saying(`${'['.repeat(levels)}${']'.repeat(levels)}`)
}

/** A refusal in the format of each protocol. */
export function refusing(code: string, text?: string): Behaviour {
  return ({ path }, response) => {
    const body = path === '/quote' ? { kind: code, description: text } : { error: { code, message: text } }
    response.writeHead(path === '/quote' ? 400 : 200).end(JSON.stringify(body))
  }
}

interface Trade {
  kind: string
  sellToken: Address
  buyToken: Address
  amount: bigint
}

interface Solve {
  orders: [
    {
      uid: string
      kind: string
      sellToken: Address
      buyToken: Address
      sellAmount: string
      buyAmount: string
    },
  ]
  liquidity: { address: Address; tokens: Record<Address, { balance: string }> }[]
}

function tradeOf({ path, query, body }: GraphqlParams): Trade {
  if (path === '/quote') {
    const { kind = '', sellToken, buyToken, amount = '0' } = query
    return { kind, sellToken: sellToken as Address, buyToken: buyToken as Address, amount: BigInt(amount) }
  }
  const [order] = (body as Solve).orders
  const { kind, sellToken, buyToken } = order
  return { kind, sellToken, buyToken, amount: BigInt(kind === 'sell' ? order.sellAmount : order.buyAmount) }
}

interface Call {
  target: Address
  value: string
  callData: string
}

interface AtPrices {
  gas?: number | undefined
  /** The interactions of every answer. */
  interactions?: readonly Call[]
  /** The solver address in a driver's answer. */
  solver?: Address
}

/** Trades any pair at these prices: atoms of each token with the same value. */
export function atPrices(prices: ReadonlyMap<Address, bigint>, more: AtPrices = {}): Behaviour {
  const { interactions = [], solver = `0x${'99'.repeat(20)}` } = more
  const gas = 'gas' in more ? more.gas : 200_000
  return (question, response) => {
    const trade = tradeOf(question)
    const [sell, buy] = [prices.get(trade.sellToken) ?? 0n, prices.get(trade.buyToken) ?? 0n]
    if (!sell || !buy)
      return refusing(question.path === '/quote' ? 'QuotingFailed' : 'other')(question, response)
    const computed =
      trade.kind === 'sell' ? mulDivDown(trade.amount, buy, sell) : mulDivUp(trade.amount, sell, buy)
    if (question.path === '/quote') {
      return answering({ amount: computed.toString(), interactions, solver, gas })(question, response)
    }
    const custom = interactions.map((call) => ({
      kind: 'custom',
      internalize: false,
      ...call,
      allowances: [],
      inputs: [],
      outputs: [],
    }))
    answering(solutionOf(question, trade, computed, custom, gas))(question, response)
  }
}

/**
 * The answer of an engine that swaps through the single best pool of the request.
 * @param times thousandths of the honest amount that it promises: more than 1,000 of what a seller gets is
 *   false, as is less of what a buyer pays
 */
export function throughPools({ times = 1_000n }: { times?: bigint } = {}): Behaviour {
  return (question, response) => {
    const trade = tradeOf(question)
    const { kind, sellToken, buyToken, amount } = trade
    const swaps = poolsIn(question)
      .filter(
        (pool) => [pool.token0, pool.token1].toSorted().join() === [sellToken, buyToken].toSorted().join(),
      )
      .flatMap((pool) => {
        const other =
          kind === 'sell' ? poolOutputDown(pool, sellToken, amount) : poolInputUp(pool, sellToken, amount)
        return other ? [{ pool, other }] : []
      })
      .toSorted((a, b) => Number(a.other > b.other) - Number(a.other < b.other))
    const best = kind === 'sell' ? swaps.at(-1) : swaps[0]
    if (!best) return answering({ solutions: [] })(question, response)
    const [input, output] = kind === 'sell' ? [amount, best.other] : [best.other, amount]
    const swap = {
      kind: 'liquidity',
      internalize: false,
      id: best.pool.address,
      inputToken: sellToken,
      outputToken: buyToken,
      inputAmount: input.toString(),
      outputAmount: output.toString(),
    }
    answering(solutionOf(question, trade, (best.other * times) / 1_000n, [swap], 205_391))(question, response)
  }
}

export function poolsIn({ body }: GraphqlParams): Pool[] {
  return (body as Solve).liquidity.map(({ address, tokens }) => {
    const [token0, token1] = Object.keys(tokens) as [Address, Address]
    const [reserve0, reserve1] = Object.values(tokens).map(({ balance }) => BigInt(balance)) as [
      bigint,
      bigint,
    ]
    return { address, token0, token1, reserve0, reserve1 }
  })
}

function solutionOf(
  { body }: GraphqlParams,
  { kind, sellToken, buyToken, amount }: Trade,
  computed: bigint,
  interactions: readonly unknown[],
  gas: number | undefined,
) {
  const [sold, bought] = kind === 'sell' ? [amount, computed] : [computed, amount]
  const [{ uid }] = (body as Solve).orders
  return {
    solutions: [
      {
        id: 1,
        prices: { [sellToken]: bought.toString(), [buyToken]: sold.toString() },
        trades: [{ kind: 'fulfillment', order: uid, executedAmount: amount.toString() }],
        interactions,
        gas,
      },
    ],
  }
}
