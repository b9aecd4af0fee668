import { settlementEvents } from '../../src/chain/logs/settlement-logs.ts'
import { word } from '../../src/domain/evm/abi.ts'
import {
  type BookOrder,
  blockOf,
  hashOf,
  headOf,
  network,
  readOrders,
  solver,
  timeOf,
  tradeBlocks,
  tradesPerBlock,
} from './data.ts'
import { answerRpc, dataOf, readTokens } from './rpc.ts'
import { serveJson } from './serve.ts'

// A node over a chain that settles the prepared orders. Argument: their file.

/** The blocks that one request for logs may name. */
const maxRange = 10_000

const orders = readOrders(process.argv[2] ?? '').map((line) => JSON.parse(line) as BookOrder)
const head = headOf(orders.length)
const settled = tradeBlocks(orders.length)
const [tradeTopic, settlementTopic] = settlementEvents
const quantity = (value: number) => `0x${value.toString(16)}`
const ownerTopic = (owner: string) => `0x${word(owner as `0x${string}`)}`
const blockHash = (number: number) => hashOf(`block ${number}`)
const txHash = (number: number) => hashOf(`transaction ${number}`)
const blockOfTransaction = new Map<string, number>()

function logText(block: number, index: number, topics: readonly unknown[], data: string): string {
  return JSON.stringify({
    ...{ address: network.settlement, topics, data, blockNumber: quantity(block) },
    ...{ blockHash: blockHash(block), transactionHash: txHash(block), transactionIndex: '0x0' },
    ...{ logIndex: quantity(index), removed: false },
  })
}

/** The texts are made before the first request, so that no system waits for them. */
const trades = orders.map((order, index) => {
  const words = [
    ...[word(order.sellToken), word(order.buyToken), word(BigInt(order.executedSellAmount))],
    ...[word(BigInt(order.executedBuyAmount)), word(0n), word(192n), word(56n)],
    order.uid.slice(2).padEnd(128, '0'),
  ]
  return logText(
    blockOf(index),
    index % tradesPerBlock,
    [tradeTopic, ownerTopic(order.owner)],
    `0x${words.join('')}`,
  )
})
const settlements = Array.from({ length: settled }, (_, index) => {
  blockOfTransaction.set(txHash(index + 1), index + 1)
  return logText(index + 1, tradesPerBlock, [settlementTopic, ownerTopic(solver)], '0x')
})
const zeros = (bytes: number) => `0x${'00'.repeat(bytes)}`

function logsOf(block: number, wanted: (topic: unknown) => boolean, owners?: ReadonlySet<string>): string[] {
  const first = (block - 1) * tradesPerBlock
  const places = Array.from({ length: tradesPerBlock }, (_, place) => first + place)
  const found = wanted(tradeTopic)
    ? places.filter((place) => !owners || owners.has(ownerTopic(orders[place]?.owner ?? '')))
    : []
  const ofSettlement = wanted(settlementTopic) && !owners ? (settlements[block - 1] ?? []) : []
  return found.flatMap((place) => trades[place] ?? []).concat(ofSettlement)
}

function readLogs(filter: Record<string, unknown>): string {
  const byHash = typeof filter.blockHash === 'string' ? numberOfHash(filter.blockHash) : undefined
  const [from, to] = [byHash ?? numberOf(filter.fromBlock), byHash ?? numberOf(filter.toBlock)]
  if (to - from >= maxRange) throw new RangeError(`query exceeds max block range ${maxRange}`)
  const addresses = [filter.address ?? network.settlement].flat().map((each) => String(each).toLowerCase())
  if (!addresses.includes(network.settlement)) return '[]'
  const [events, owners] = (filter.topics ?? []) as (string | string[] | null)[]
  const wanted = (topic: unknown) => events == null || [events].flat().includes(String(topic))
  const owned = owners == null ? undefined : new Set([owners].flat())
  const logs: string[] = []
  for (let block = Math.max(1, from); block <= Math.min(to, settled); block++)
    for (const log of logsOf(block, wanted, owned)) logs.push(log)
  return `[${logs.join(',')}]`
}

const blockNumbers = new Map(Array.from({ length: head + 1 }, (_, number) => [blockHash(number), number]))
const numberOfHash = (hash: string) => blockNumbers.get(hash as `0x${string}`) ?? head + 1

function numberOf(tag: unknown): number {
  if (tag === 'earliest') return 0
  return typeof tag === 'string' && tag.startsWith('0x') ? Number(tag) : head
}

/** The calldata is no call of `settle`, so that no system reads orders from it. */
function transaction(block: number) {
  return {
    ...{ hash: txHash(block), blockNumber: quantity(block), blockHash: blockHash(block), from: solver },
    ...{ to: network.settlement, input: '0x13d79a0b', value: '0x0', nonce: quantity(block), gas: '0x7a120' },
    ...{ transactionIndex: '0x0', type: '0x0', gasPrice: '0x3b9aca00', chainId: quantity(network.chainId) },
    ...{ v: '0x1b', r: hashOf(`r ${block}`), s: hashOf(`s ${block}`) },
  }
}

function block(number: number, isFull: unknown): string {
  if (number > head) return 'null'
  const isSettled = number >= 1 && number <= settled
  return JSON.stringify({
    ...{ number: quantity(number), hash: blockHash(number), timestamp: quantity(timeOf(number)) },
    ...{ parentHash: number === 0 ? zeros(32) : blockHash(number - 1), logsBloom: `0x${'ff'.repeat(256)}` },
    ...{ miner: solver, gasUsed: '0x7a120', gasLimit: '0x2255100', baseFeePerGas: '0x3b9aca00' },
    ...{ nonce: zeros(8), mixHash: zeros(32), stateRoot: zeros(32), receiptsRoot: zeros(32) },
    ...{ transactionsRoot: zeros(32), sha3Uncles: zeros(32), size: '0x400', difficulty: '0x0' },
    ...{ totalDifficulty: '0x0', extraData: '0x', uncles: [] },
    transactions: isSettled ? [isFull ? transaction(number) : txHash(number)] : [],
  })
}

function receipt(number: number | undefined): string {
  if (number === undefined) return 'null'
  const logs = logsOf(number, () => true)
  const { hash, from, to, ...place } = transaction(number)
  const rest = JSON.stringify({
    ...{ transactionHash: hash, blockHash: place.blockHash, blockNumber: place.blockNumber, from, to },
    ...{ transactionIndex: '0x0', status: '0x1', gasUsed: '0x7a120', cumulativeGasUsed: '0x7a120' },
    ...{ effectiveGasPrice: '0x3b9aca00', type: '0x0', contractAddress: null, logsBloom: zeros(256) },
  })
  return `${rest.slice(0, -1)},"logs":[${logs.join(',')}]}`
}

const methods: Record<string, (params: unknown[]) => string> = {
  eth_chainId: () => JSON.stringify(quantity(network.chainId)),
  net_version: () => JSON.stringify(String(network.chainId)),
  eth_syncing: () => 'false',
  eth_gasPrice: () => '"0x3b9aca00"',
  eth_getCode: () => '"0x6000"',
  eth_blockNumber: () => JSON.stringify(quantity(head)),
  eth_getBlockByNumber: ([tag, isFull]) => block(numberOf(tag), isFull),
  eth_getBlockByHash: ([hash, isFull]) => block(numberOfHash(String(hash)), isFull),
  eth_getLogs: ([filter]) => readLogs(filter as Record<string, unknown>),
  eth_getTransactionByHash: ([hash]) => {
    const number = blockOfTransaction.get(String(hash))
    return number === undefined ? 'null' : JSON.stringify(transaction(number))
  },
  eth_getTransactionReceipt: ([hash]) => receipt(blockOfTransaction.get(String(hash))),
  eth_getBlockReceipts: ([tag]) => {
    const number = numberOf(tag)
    return number >= 1 && number <= settled ? `[${receipt(number)}]` : '[]'
  },
  eth_call: ([request]) => JSON.stringify(readTokens(dataOf(request))),
}

serveJson((_, body) => answerRpc(methods, body))
