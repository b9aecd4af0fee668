import { canCount, countStatements, type Statement } from '../database/statements.ts'
import type { Question } from '../load/question.ts'
import { runTurn, type Turn } from '../load/turn.ts'
import { type Figures, type RowResult, summary, toFigures, type WorkloadResult } from '../measure.ts'
import { against, number, numbers, type Print, rounds, seconds, suite } from '../options.ts'
import { formatTable, writeColumns } from '../report.ts'
import { type BenchChain, startBenchChain } from '../servers/chain.ts'
import { startCountingNode } from '../servers/counting-node.ts'
import type { ServerProcess } from '../servers/process.ts'
import { prepareSystems, type System } from '../servers/systems.ts'
import { fundTraders } from './chain.ts'
import { checkRows, emptyOrders } from './database.ts'
import { createTraders, signOrders } from './submissions.ts'

const warmupOrders = 1_000
const countedOrders = 500

export const orders = suite({
  name: 'orders',
  about: `
Submits signed orders to the program. It reads balances and allowances from a local chain, and stores the rows durably. A turn
ends when the orders are used up.`,
  flags: {
    traders: number('accounts that hold and have approved what they sell', 1_000, 1, 100_000),
    orders: number('orders signed before the clock starts', 20_000, 100, 1_000_000),
    seconds: seconds(5),
    rounds: rounds(3),
    connections: numbers('requests on their way at a time', [10, 50], 1, 1_000),
    against,
  },
  async run(options, undo, print) {
    const traders = createTraders(options.traders)
    const addresses = traders.map((trader) => trader.address)
    const chain = await startBenchChain(options.home, (rpc, market) => fundTraders(rpc, market, addresses))
    undo.push(chain.stop)
    const orders = signOrders(traders, options.orders, chain.market)
    print(`${orders.length} orders signed by ${traders.length} traders, all funded`)
    const systems = await prepareSystems({ ...options, name: 'orders' }, chain, undo, print)
    const results: WorkloadResult[] = []
    for (const connections of options.connections) {
      const rows = await measure(systems, connections, { ...options, chain, orders, print })
      results.push({ name: `${connections} connections`, rows })
    }
    print(`\n${formatTable('order submission', results, writeColumns)}`)
    return {
      results,
      isRight: results.every(({ rows }) => rows.every(({ figures }) => !figures?.errors)),
    }
  },
})

interface Measuring {
  rounds: number
  seconds: number
  chain: BenchChain
  orders: readonly Question[]
  print: Print
}

/** Measures all systems in turns; each turn begins with empty tables and a warm server. */
async function measure(
  systems: readonly System[],
  connections: number,
  { rounds, seconds, chain, orders, print }: Measuring,
): Promise<RowResult[]> {
  const measured = new Map<System, Figures[]>(systems.map((system) => [system, []]))
  for (let round = 1; round <= rounds; round++) {
    for (const [system, figures] of measured) {
      await emptyOrders(system.databaseUrl, chain.market)
      const server = await system.start(chain.rpcUrl)
      try {
        const queue = orders.values()
        const warm = await submit(server, queue, connections, { requests: warmupOrders })
        await server.vitals()
        const turn = await submit(server, queue, connections, {
          seconds,
          requests: orders.length - warmupOrders,
        })
        figures.push(toFigures(turn, await server.vitals()))
        const right = warm.requests - warm.errors + turn.requests - turn.errors
        await checkRows(system.databaseUrl, right)
      } finally {
        await server.stop()
      }
      const rate = Math.round(figures.at(-1)?.requestsPerSecond ?? 0)
      print(`${connections} connections, ${round}/${rounds} ${system.system}: ${rate}/s`)
    }
  }
  const results: RowResult[] = []
  for (const [system, figures] of measured) {
    const counts = await count(system, connections, chain, orders)
    results.push({
      system: system.system,
      rounds: figures,
      statements: counts.statements,
      figures: { ...summary(figures), ...counts.perRequest },
    })
  }
  return results
}

/** Counts the statements and node requests of one order, without timing. */
async function count(
  { databaseUrl, start }: System,
  connections: number,
  { rpcUrl, market }: BenchChain,
  orders: readonly Question[],
): Promise<{ statements: Statement[] | undefined; perRequest: Partial<Figures> }> {
  await emptyOrders(databaseUrl, market)
  const node = await startCountingNode(rpcUrl)
  const server = await start(node.url)
  try {
    const queue = orders.values()
    await submit(server, queue, connections, { requests: countedOrders })
    node.take()
    const run = async () => void (await submit(server, queue, connections, { requests: countedOrders }))
    const counting = await canCount(databaseUrl)
    const statements = counting ? await countStatements(databaseUrl, countedOrders, run) : undefined
    if (!counting) await run()
    const calls = statements?.reduce((sum, { callsPerRequest }) => sum + callsPerRequest, 0)
    return {
      statements,
      perRequest: {
        statementsPerRequest: calls,
        rpcPerRequest: node.take().requests / countedOrders,
      },
    }
  } finally {
    await server.stop()
    node.close()
  }
}

function submit(
  { port }: ServerProcess,
  queue: Iterator<Question>,
  connections: number,
  bounds: { seconds?: number; requests?: number },
): Promise<Turn> {
  const next = () => {
    const { value, done } = queue.next()
    if (done) throw new Error('there are no more orders')
    return value as Question
  }
  return runTurn({ port, connections, next, ...bounds })
}
