import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AbiCoder, Interface } from 'ethers'
import type { ScriptedOrder } from '../fakes/order-book.ts'

type Hex = `0x${string}`

interface Call {
  id: unknown
  method: string
  params: [Record<string, unknown> & string]
}

const events = new Interface([
  'event Trade(address indexed owner, address sellToken, address buyToken, uint256 sellAmount, uint256 buyAmount, uint256 feeAmount, bytes orderUid)',
  'event Settlement(address indexed solver)',
])
const word = (text: string) => AbiCoder.defaultAbiCoder().encode(['address'], [text])
const quantity = (value: number) => `0x${value.toString(16)}`

/** A trade of the whole of an order in a transaction of its own, in a block that the chain has. */
interface OldTrade {
  order: ScriptedOrder
  txHash: Hex
  block: number
}

/** A node before another one that also has settlements that a test says. Its chain has their blocks. */
export async function startScriptedNode(rpcUrl: string, settlement: string, solver: string) {
  const trades: OldTrade[] = []

  async function logsOf({ order, txHash, block }: OldTrade) {
    const hash = await forward({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_getBlockByNumber',
      params: [quantity(block), false],
    })
    const place = { address: settlement, transactionHash: txHash, blockNumber: quantity(block) }
    const index = 2 * trades.findIndex((trade) => trade.txHash === txHash)
    const common = { ...place, blockHash: hash.result.hash, transactionIndex: '0x0', removed: false }
    const { uid, owner, sellToken, buyToken, sellAmount, buyAmount } = order as Record<string, string>
    const data = events.encodeEventLog('Trade', [owner, sellToken, buyToken, sellAmount, buyAmount, 0n, uid])
    const settled = events.encodeEventLog('Settlement', [solver])
    return [
      { ...common, ...data, logIndex: quantity(index) },
      { ...common, ...settled, logIndex: quantity(index + 1) },
    ]
  }

  async function forward(body: unknown) {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(rpcUrl, { method: 'POST', headers, body: JSON.stringify(body) })
    // biome-ignore lint/suspicious/noExplicitAny: JSON-RPC
    return (await answer.json()) as any
  }

  async function answer(call: Call): Promise<unknown> {
    const [first] = call.params
    const scripted =
      call.method === 'eth_getTransactionReceipt' ? trades.find(({ txHash }) => txHash === first) : undefined
    if (scripted) {
      const common = {
        transactionHash: scripted.txHash,
        blockNumber: quantity(scripted.block),
        status: '0x1',
      }
      return { jsonrpc: '2.0', id: call.id, result: { ...common, logs: await logsOf(scripted) } }
    }
    const found = await forward(call)
    if (call.method !== 'eth_getLogs' || !Array.isArray(found.result)) return found
    const {
      fromBlock,
      toBlock,
      topics = [],
    } = first as { fromBlock?: string; toBlock?: string; topics?: unknown[] }
    if (fromBlock === undefined || toBlock === undefined) return found
    const owners = topics[1] as string[] | undefined
    const isIn = ({ block, order }: OldTrade) =>
      block >= Number(fromBlock) &&
      block <= Number(toBlock) &&
      (!owners || owners.includes(word(order.owner)))
    const own = (await Promise.all(trades.filter(isIn).map(logsOf))).flat()
    const wanted = topics[0] as string[] | undefined
    const result = own.filter((log) => !wanted || wanted.includes(log.topics[0] ?? ''))
    return { ...found, result: [...result, ...found.result] }
  }

  const server = createServer((req, res) => {
    let text = ''
    req.setEncoding('utf8')
    req.on('data', (part: string) => {
      text += part
    })
    req.on('end', async () => {
      const body = JSON.parse(text) as Call | Call[]
      const answers = Array.isArray(body) ? await Promise.all(body.map(answer)) : await answer(body)
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answers))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    trades,
    rpcUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
