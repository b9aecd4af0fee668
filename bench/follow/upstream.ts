import { nodeOf } from './node.ts'
import { askOrderBook } from './order-book.ts'
import { answerRpc } from './rpc.ts'
import { serveJson } from './serve.ts'
import { networks } from './shape.ts'
import { type Phase, World } from './world.ts'

// The scripted nodes and order books of all networks. Arguments: how many, and the orders and fills of the
// busiest.

const [count = 1, orders = 1, fills = 1] = process.argv.slice(2).map(Number)

/** What the bench reads of a network at the end. */
export type Upstream = Pick<World, 'calls' | 'fills' | 'head'> & {
  chainId: number
  live: number
  requests: number
}

const served = networks.slice(0, count).map((followed) => {
  const world = new World(followed, { orders, fills })
  return { world, node: nodeOf(world), requests: 0 }
})
const byChain = new Map(served.map((each) => [String(each.world.followed.chainId), each]))

serveJson(({ pathname, searchParams }, body) => {
  const [, first = '', second, , ...rest] = pathname.split('/')
  if (first === 'phase') {
    for (const { world } of served) world.setPhase(second as Phase)
    return 'true'
  }
  if (first === 'state')
    return JSON.stringify(
      served.map(
        ({ world: { calls, fills, head, live, followed }, requests }): Upstream => ({
          chainId: followed.chainId,
          calls,
          fills,
          head,
          live: live.size,
          requests,
        }),
      ),
    )
  const of = byChain.get(first)
  if (!of) return undefined
  if (second === 'rpc') {
    of.requests++
    return answerRpc(of.node, body)
  }
  const answer = askOrderBook(of.world, rest, searchParams, body)
  return answer === undefined ? undefined : JSON.stringify(answer)
})
