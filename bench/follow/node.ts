import { balanceReaderCode, signatureCheckCode } from '../../src/chain/bytecode.generated.ts'
import { settlementEvents } from '../../src/chain/logs/settlement-logs.ts'
import { settlementAbi } from '../../src/chain/settlement/call.ts'
import { presigned } from '../../src/chain/trade/call.ts'
import { word } from '../../src/domain/evm/abi.ts'
import type { Hex } from '../../src/domain/evm/hex.ts'
import { hexToBytes } from '../../src/domain/evm/hex.ts'
import { keccak, keccakText } from '../../src/domain/evm/keccak.ts'
import { createRandom } from '../database/subjects.ts'
import { dataOf, type Methods, readTokens } from './rpc.ts'
import { settlement, vaultRelayer } from './shape.ts'
import { hashOf } from './signed-order.ts'
import { logsOf, logsPerTrade, type Settlement, type World } from './world.ts'

const maxRange = 10_000
const keptHeaders = 400
const quantity = (value: number) => `0x${value.toString(16)}`
const text = (value: unknown) => JSON.stringify(value)
const topicOf = (account: string) => `0x${word(account as Hex)}`
const zeros = (bytes: number) => `0x${'00'.repeat(bytes)}`
const [tradeTopic, settlementTopic] = settlementEvents as [string, string]
const transferTopic = keccakText('Transfer(address,address,uint256)')
const swapTopic = keccakText('Swap(address,uint256,uint256,uint256,uint256,address)')
const pool = `0x${'77'.repeat(20)}`
const preSignature = settlementAbi.getFunction('preSignature')?.selector ?? ''

/** The node of a scripted network. */
export function nodeOf(world: World): Methods {
  const { chainId, transactions, bloom } = world.followed
  const random = createRandom(chainId + 1)
  const headers = new Map<number, string>()
  const numbers = new Map<string, number>()
  /** Hashes of other transactions: each block has a part of them, from another place. */
  const others = Array.from({ length: 2 * transactions }, (_, index) => hashOf(`${chainId} other ${index}`))

  function bloomOf(block: number): string {
    const bits = new Uint8Array(256)
    for (let bit = 0; bit < 2_048; bit++) if (random() < bloom) setBit(bits, bit)
    const settled = world.settlements.get(block) ?? []
    for (const value of settled.length > 0 ? [settlement, tradeTopic, settlementTopic] : []) add(bits, value)
    return `0x${Buffer.from(bits).toString('hex')}`
  }

  function header(number: number): string {
    if (number > world.head || number < 0) return 'null'
    const known = headers.get(number)
    if (known) return known
    const from = Math.floor(random() * transactions)
    const settled = (world.settlements.get(number) ?? []).map(({ txHash }) => txHash)
    const made = text({
      number: quantity(number),
      hash: world.hashOf(number),
      parentHash: world.hashOf(number - 1),
      timestamp: quantity(world.timeOf(number)),
      logsBloom: bloomOf(number),
      miner: pool,
      gasUsed: '0x1c9c380',
      gasLimit: '0x2255100',
      baseFeePerGas: '0x3b9aca00',
      nonce: zeros(8),
      mixHash: zeros(32),
      stateRoot: hashOf(`state ${number}`),
      receiptsRoot: hashOf(`receipts ${number}`),
      transactionsRoot: hashOf(`root ${number}`),
      sha3Uncles: zeros(32),
      size: '0x10400',
      difficulty: '0x0',
      totalDifficulty: '0x0',
      extraData: zeros(20),
      uncles: [],
      withdrawalsRoot: zeros(32),
      blobGasUsed: '0x60000',
      excessBlobGas: '0x0',
      transactions: [...settled, ...others.slice(from, from + transactions)],
    })
    headers.set(number, made)
    headers.delete(number - keptHeaders)
    numbers.set(world.hashOf(number), number)
    return made
  }

  const numberOf = (tag: unknown): number => {
    if (tag === 'earliest') return 0
    if (tag === 'finalized' || tag === 'safe') return world.head - 64
    return typeof tag === 'string' && tag.startsWith('0x') ? Number(tag) : world.head
  }

  function logsIn(settled: Settlement) {
    const before = (world.settlements.get(settled.block) ?? [])
      .slice(0, (world.settlements.get(settled.block) ?? []).indexOf(settled))
      .reduce((sum, { trades }) => sum + logsOf(trades.length), 0)
    const { txHash, block, trades, solver } = settled
    const log = (address: string, topics: string[], data: string, index: number) => ({
      address,
      topics,
      data,
      blockNumber: quantity(block),
      blockHash: world.hashOf(block),
      transactionHash: txHash,
      transactionIndex: '0x0',
      logIndex: quantity(index),
      removed: false,
    })
    const amount = (value: bigint) => `0x${word(value)}`
    const logs = trades.flatMap(({ order: { body, data }, sell, buy, logIndex }) => {
      const first = logIndex - logsPerTrade + 1
      const transfer = (token: string, from: string, to: string, value: bigint, index: number) =>
        log(token, [transferTopic, topicOf(from), topicOf(to)], amount(value), first + index)
      const words = [
        word(data.sellToken),
        word(data.buyToken),
        word(sell),
        word(buy),
        word(0n),
        word(192n),
        word(56n),
      ]
      return [
        transfer(data.sellToken, body.owner, settlement, sell, 0),
        transfer(data.sellToken, settlement, pool, sell, 1),
        transfer(data.buyToken, pool, settlement, buy, 2),
        log(pool, [swapTopic, topicOf(settlement), topicOf(settlement)], zeros(128), first + 3),
        transfer(data.buyToken, settlement, body.owner, buy, 4),
        log(
          settlement,
          [tradeTopic, topicOf(body.owner)],
          `0x${words.join('')}${body.uid.slice(2).padEnd(128, '0')}`,
          logIndex,
        ),
      ]
    })
    logs.push(log(settlement, [settlementTopic, topicOf(solver)], '0x', before + logs.length))
    return logs
  }

  function readLogs(filter: Record<string, unknown>): string {
    const byHash = typeof filter.blockHash === 'string' ? numbers.get(filter.blockHash) : undefined
    const [from, to] = [byHash ?? numberOf(filter.fromBlock), byHash ?? numberOf(filter.toBlock)]
    if (to - from >= maxRange) throw new RangeError(`query exceeds max block range ${maxRange}`)
    const addresses = filter.address === undefined ? undefined : new Set([filter.address].flat())
    const [events, accounts] = (filter.topics ?? []) as (string | string[] | null | undefined)[]
    const holds = (wanted: string | string[] | null | undefined, topic: string | undefined) =>
      wanted == null || [wanted].flat().includes(topic ?? '')
    const found = [...world.settlements.entries()]
      .filter(([block]) => block >= from && block <= Math.min(to, world.head))
      .flatMap(([, settled]) => settled.flatMap(logsIn))
      .filter(
        ({ address, topics }) =>
          (addresses?.has(address) ?? true) && holds(events, topics[0]) && holds(accounts, topics[1]),
      )
    return text(found)
  }

  const minedBy = (hash: unknown) => {
    const settled = world.byHash.get(String(hash))
    return settled && settled.block <= world.head ? settled : undefined
  }

  function transaction(hash: unknown): string {
    const settled = minedBy(hash)
    if (!settled) return 'null'
    const { block, solver, input, txHash } = settled
    return text({
      hash: txHash,
      blockNumber: quantity(block),
      blockHash: world.hashOf(block),
      from: solver,
      to: settlement,
      input,
      value: '0x0',
      nonce: quantity(block),
      gas: '0x7a120',
      transactionIndex: '0x0',
      type: '0x2',
      gasPrice: '0x3b9aca00',
      chainId: quantity(chainId),
      maxFeePerGas: '0x77359400',
      maxPriorityFeePerGas: '0x3b9aca00',
      accessList: [],
      v: '0x1',
      r: hashOf(`r ${txHash}`),
      s: hashOf(`s ${txHash}`),
      yParity: '0x1',
    })
  }

  function receipt(hash: unknown): string {
    const settled = minedBy(hash)
    if (!settled) return 'null'
    const { block, solver, txHash } = settled
    return text({
      transactionHash: txHash,
      blockHash: world.hashOf(block),
      blockNumber: quantity(block),
      from: solver,
      to: settlement,
      transactionIndex: '0x0',
      status: '0x1',
      gasUsed: '0x7a120',
      cumulativeGasUsed: '0x7a120',
      effectiveGasPrice: '0x3b9aca00',
      type: '0x2',
      contractAddress: null,
      logsBloom: zeros(256),
      logs: logsIn(settled),
    })
  }

  return {
    eth_chainId: () => text(quantity(chainId)),
    net_version: () => text(String(chainId)),
    eth_syncing: () => 'false',
    eth_gasPrice: () => '"0x3b9aca00"',
    eth_maxPriorityFeePerGas: () => '"0x3b9aca00"',
    eth_getCode: () => '"0x6000"',
    eth_getBalance: () => '"0xde0b6b3a7640000"',
    eth_blockNumber: () => text(quantity(world.head)),
    eth_getBlockByNumber: ([tag]) => header(numberOf(tag)),
    eth_getBlockByHash: ([hash]) => header(numbers.get(String(hash)) ?? -1),
    eth_getLogs: ([filter]) => readLogs(filter as Record<string, unknown>),
    eth_getTransactionByHash: ([hash]) => transaction(hash),
    eth_getTransactionReceipt: ([hash]) => receipt(hash),
    eth_call: ([request]) => text(answerCall(dataOf(request))),
  }
}

/** The contract that lists the solvers. */
const authenticator = `0x${'a5'.repeat(20)}`
const selectorOf = (signature: string) => keccakText(signature).slice(0, 10)

function answerCall(data: string): string {
  if (data.startsWith(selectorOf('authenticator()'))) return topicOf(authenticator)
  if (data.startsWith(selectorOf('isSolver(address)'))) return topicOf('0x01')
  if (data.startsWith(balanceReaderCode)) return balances(data.slice(balanceReaderCode.length))
  if (data.startsWith(signatureCheckCode)) return topicOf('0x01')
  if (data.startsWith(preSignature)) return presigned
  if (data.startsWith(settlementAbi.getFunction('vaultRelayer')?.selector ?? '-'))
    return topicOf(vaultRelayer)
  return readTokens(data)
}

/** A third of the holdings are too small for their orders; the others are large, and allowed. */
function balances(words: string): string {
  const at = (index: number) => words.slice(64 * index, 64 * (index + 1))
  const place = (index: number) => Number(`0x${at(index)}`) / 32
  const [coins, tokens] = [place(1), place(2)]
  const large = word(2n ** 200n)
  const ofCoins = large.repeat(place(coins))
  const ofTokens = Array.from({ length: place(tokens) }, (_, index) => {
    const owner = at(tokens + 1 + 2 * index)
    return `${word(3n)}${Number(`0x${owner.slice(-4)}`) % 3 === 0 ? word(1n) : large}${large}`
  })
  return `0x${ofCoins}${ofTokens.join('')}`
}

function setBit(bits: Uint8Array, bit: number): void {
  const at = 255 - (bit >> 3)
  bits[at] = (bits[at] ?? 0) | (1 << (bit & 7))
}

function add(bits: Uint8Array, value: string): void {
  const hash = keccak(hexToBytes(value as Hex))
  for (const at of [0, 2, 4]) setBit(bits, (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) % 2_048)
}
