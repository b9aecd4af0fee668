import { createServer, type IncomingMessage } from 'node:http'

// A solver engine in one file, without dependencies: node --import tsx examples/solver/solver.ts [port]
// docs/how-to/write-a-solver.md has the protocol.

interface Order {
  uid: string
  kind: 'sell' | 'buy'
  sellToken: string
  buyToken: string
  /** What remains to be executed. */
  sellAmount: string
  buyAmount: string
}

interface Pool {
  kind: string
  id: string
  /** Two tokens with their reserves. */
  tokens: Record<string, { balance: string }>
}

interface Auction {
  /** null: a quote. */
  id: string | null
  orders: Order[]
  liquidity: Pool[]
}

interface Swap {
  pool: string
  input: bigint
  output: bigint
}

/** What a pool with a fee of 0.3 % pays, in atoms. */
function output(input: bigint, reserveIn: bigint, reserveOut: bigint): bigint {
  const afterFee = input * 997n
  return (afterFee * reserveOut) / (reserveIn * 1000n + afterFee)
}

/** What the pool takes for an output, in atoms. */
function input(output: bigint, reserveIn: bigint, reserveOut: bigint): bigint | undefined {
  if (output >= reserveOut) return undefined
  return (reserveIn * output * 1000n) / ((reserveOut - output) * 997n) + 1n
}

/** The best swap of the whole order through one pool, if it keeps the order's limit. */
function bestSwap(order: Order, pools: readonly Pool[]): Swap | undefined {
  const [sell, buy] = [BigInt(order.sellAmount), BigInt(order.buyAmount)]
  const swaps = pools.flatMap(({ kind, id, tokens }): Swap[] => {
    const [from, to] = [tokens[order.sellToken], tokens[order.buyToken]]
    if (kind !== 'constantProduct' || !from || !to) return []
    const reserves = [BigInt(from.balance), BigInt(to.balance)] as const
    if (order.kind === 'sell') return [{ pool: id, input: sell, output: output(sell, ...reserves) }]
    const taken = input(buy, ...reserves)
    return taken === undefined ? [] : [{ pool: id, input: taken, output: buy }]
  })
  const [best] = swaps.toSorted((a, b) => Number(b.output - b.input - (a.output - a.input)))
  return best && best.input <= sell && best.output >= buy ? best : undefined
}

/** A solution of one order. It takes no fee: a solver that pays its own gas would. */
function toSolution(id: number, order: Order, { pool, input, output }: Swap) {
  const { sellToken, buyToken } = order
  return {
    id,
    // sold · price(sell token) = bought · price(buy token)
    prices: { [sellToken]: output.toString(), [buyToken]: input.toString() },
    trades: [
      {
        kind: 'fulfillment',
        order: order.uid,
        executedAmount: (order.kind === 'sell' ? input : output).toString(),
      },
    ],
    interactions: [
      {
        kind: 'liquidity',
        internalize: false,
        id: pool,
        inputToken: sellToken,
        outputToken: buyToken,
        inputAmount: input.toString(),
        outputAmount: output.toString(),
      },
    ],
    gas: 205_000,
  }
}

/** One solution for each directed pair: those with a pair in common cannot both win. */
export function solve({ orders, liquidity }: Auction) {
  const taken = new Set<string>()
  return orders.flatMap((order, id) => {
    const pair = `${order.sellToken}>${order.buyToken}`
    const swap = taken.has(pair) ? undefined : bestSwap(order, liquidity)
    if (!swap) return []
    taken.add(pair)
    return [toSolution(id, order, swap)]
  })
}

async function readJson(request: IncomingMessage) {
  let text = ''
  for await (const chunk of request) text += chunk
  return JSON.parse(text)
}

const server = createServer(async (request, response) => {
  const body = await readJson(request)
  response.setHeader('content-type', 'application/json')
  if (request.url === '/solve') {
    const solutions = solve(body)
    process.stdout.write(`auction ${body.id}: ${body.orders.length} orders, ${solutions.length} solutions\n`)
    return void response.end(JSON.stringify({ solutions }))
  }
  // POST /notify: what became of a solution.
  process.stdout.write(`auction ${body.auctionId}, solution ${body.solutionId}: ${body.kind}\n`)
  response.end('{}')
})
server.listen(Number(process.argv[2] ?? 8080), '127.0.0.1', () => process.stdout.write('listening\n'))
