import { Outage } from '../../domain/errors/error.ts'
import { type Address, nativeMarker } from '../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'
import type { Log } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import type { TokenChanges } from '../../domain/settlement/accounting.ts'
import { type LogPosition, receiptLogs } from '../logs/logs.ts'
import { parseSettlementLog } from '../logs/settlement-logs.ts'
import { TooLarge } from '../rpc/post.ts'
import { type Rpc, RpcError, type RpcResponse } from '../rpc/rpc.ts'
import {
  available,
  parseHash,
  parseHex,
  parseIndex,
  parseList,
  parseObject,
  parseQuantity,
  toQuantity,
} from '../rpc/wire.ts'
import { loggedChanges } from './balance-changes.ts'

/** A transaction, identified by one of its logs. */
export type LoggedTransaction = Pick<LogPosition, 'txHash' | 'blockNumber' | 'blockHash'>

export interface FindOptions {
  rpc: Rpc
  /** Single nodes, to look up data that `rpc` does not know. */
  otherRpcs?: readonly Rpc[]
  network: Pick<Network, 'settlement' | 'wrappedNative'>
  log: Log
}

interface SentTransaction {
  hash: Bytes32
  block: number
  blockHash: Bytes32
  sender: Address
  to: Hex | null
  input: Hex
  /** The gas price of a mined transaction, if the receipt does not report it. */
  gasPrice: bigint | null
}

interface MinedReceipt {
  blockHash: Bytes32
  gasUsed: bigint
  effectiveGasPrice: bigint | null
  /** The changes; null if there are too many logs. */
  changes: TokenChanges[] | null
}

interface FoundTransaction {
  sent: SentTransaction
  /** The receipt; undefined if it is too large to be read. */
  receipt: MinedReceipt | undefined
}

/** The receipts in one request. One of them may have megabytes of logs. */
const receiptsAtOnce = 10
const maxLogs = 10_000

/**
 * Finds transactions with their receipts, without those that no node knows. It looks them up by hash, in the
 * other nodes, and by block, because nodes without an index of old transactions still have their blocks.
 * @throws Outage if the node does not answer, or sends an invalid transaction
 */
export async function findTransactions(
  options: FindOptions,
  logged: readonly LoggedTransaction[],
): Promise<FoundTransaction[]> {
  const found = await findByHash(options, logged)
  const isFound = ({ txHash }: LoggedTransaction) => found.some(({ sent }) => sent.hash === txHash)
  for (const rpc of options.otherRpcs ?? []) {
    const missing = logged.filter((each) => !isFound(each))
    if (missing.length === 0) return found
    found.push(...(await orNone(findByHash({ ...options, rpc }, missing))).filter(isOfLog(missing)))
  }
  const missing = logged.filter((each) => !isFound(each))
  for (const blockNumber of new Set(missing.map((each) => each.blockNumber))) {
    const ofBlock = missing.filter((each) => each.blockNumber === blockNumber)
    found.push(...(await orNone(findInBlock(options, blockNumber))).filter(isOfLog(ofBlock)))
  }
  return found
}

/** Returns a check that a transaction is that of a log: another node may be on another branch. */
function isOfLog(logged: readonly LoggedTransaction[]): (found: FoundTransaction) => boolean {
  return ({ sent, receipt }) =>
    logged.some(({ txHash, blockHash }) => sent.hash === txHash && (receipt ?? sent).blockHash === blockHash)
}

/** Returns the found transactions, or none on an Outage: other nodes may not have them either. */
async function orNone(find: Promise<FoundTransaction[]>): Promise<FoundTransaction[]> {
  try {
    return await find
  } catch (fault) {
    if (fault instanceof Outage || fault instanceof RpcError) return []
    throw fault
  }
}

async function findByHash(
  options: FindOptions,
  logged: readonly LoggedTransaction[],
): Promise<FoundTransaction[]> {
  const txHashes = logged.map(({ txHash }) => txHash)
  const calls = txHashes.map((txHash) => ({ method: 'eth_getTransactionByHash', params: [txHash] }))
  const responses = await available(options.rpc.batch(calls))
  const sent = responses.flatMap((response, index) => toSent(resultOf(response), txHashes[index]) ?? [])
  const receipts = await readReceipts(
    options,
    sent.map(({ hash }) => hash),
  )
  return sent.flatMap((each) => {
    const receipt = receipts.get(each.hash)
    if (receipt === undefined) return []
    return [{ sent: each, receipt: receipt === 'too large' ? undefined : receipt }]
  })
}

/**
 * The result of a response. Nodes report an unknown transaction with null, or, while they index, with an
 * error.
 */
function resultOf(response: RpcResponse | undefined): unknown {
  return response && 'value' in response ? response.value : null
}

async function findInBlock(options: FindOptions, number: number): Promise<FoundTransaction[]> {
  const tag = toQuantity(number)
  const block = parseObject(await options.rpc.call('eth_getBlockByNumber', [tag, true]))
  const receipts = parseList(await options.rpc.call('eth_getBlockReceipts', [tag])).map(parseObject)
  return parseList(block.transactions).flatMap((raw) => {
    const sent = toSent(raw)
    const receipt = receipts.find(({ transactionHash }) => sent && parseHash(transactionHash) === sent.hash)
    return sent && receipt ? [{ sent, receipt: toReceipt(receipt, sent.hash, options) }] : []
  })
}

/** Parses a transaction; undefined if it is not in a block yet, or not the requested transaction. */
function toSent(raw: unknown, txHash?: Bytes32): SentTransaction | undefined {
  if (raw === null) return undefined
  const { hash, blockNumber, blockHash, from, to, input, gasPrice } = parseObject(raw)
  const known = parseHash(hash)
  if ((txHash ?? known) !== known || blockHash === null) return undefined
  return {
    hash: known,
    block: parseIndex(blockNumber),
    blockHash: parseHash(blockHash),
    sender: parseHex(from, 20),
    to: to == null ? null : parseHex(to, 20),
    input: parseHex(input),
    gasPrice: gasPrice == null ? null : parseQuantity(gasPrice),
  }
}

type ReadReceipts = Map<Bytes32, MinedReceipt | 'too large'>

async function readReceipts(options: FindOptions, txHashes: readonly Bytes32[]): Promise<ReadReceipts> {
  const receipts: ReadReceipts = new Map()
  for (let start = 0; start < txHashes.length; start += receiptsAtOnce) {
    const part = txHashes.slice(start, start + receiptsAtOnce)
    for (const [hash, receipt] of await readPart(options, part)) receipts.set(hash, receipt)
  }
  return receipts
}

/**
 * Reads receipts. Those that are too large together are read one by one; a receipt that is too large alone
 * stays unread.
 */
async function readPart(options: FindOptions, txHashes: readonly Bytes32[]): Promise<ReadReceipts> {
  const calls = txHashes.map((txHash) => ({ method: 'eth_getTransactionReceipt', params: [txHash] }))
  try {
    const responses = await available(options.rpc.batch(calls))
    return new Map(
      txHashes.flatMap((txHash, index) => {
        const receipt = toReceipt(resultOf(responses[index]), txHash, options)
        return receipt ? [[txHash, receipt]] : []
      }),
    )
  } catch (fault) {
    if (!(fault instanceof Outage && fault.cause instanceof TooLarge)) throw fault
    if (txHashes.length > 1) {
      const parts: ReadReceipts = new Map()
      for (const txHash of txHashes)
        for (const [hash, receipt] of await readPart(options, [txHash])) parts.set(hash, receipt)
      return parts
    }
    options.log.warn('a receipt is too large to be read', { txHash: txHashes[0] })
    return new Map(txHashes.map((txHash) => [txHash, 'too large']))
  }
}

function toReceipt(raw: unknown, txHash: Bytes32, { network, log }: FindOptions): MinedReceipt | undefined {
  if (raw === null) return undefined
  const receipt = parseObject(raw)
  const { transactionHash, blockHash, gasUsed, effectiveGasPrice } = receipt
  if (parseHash(transactionHash) !== txHash) return undefined
  const rawLogs = receiptLogs(receipt)
  if (rawLogs.length > maxLogs) log.warn('a settlement has too many logs', { txHash, logs: rawLogs.length })
  return {
    blockHash: parseHash(blockHash),
    gasUsed: parseQuantity(gasUsed),
    effectiveGasPrice: effectiveGasPrice == null ? null : parseQuantity(effectiveGasPrice),
    changes: rawLogs.length > maxLogs ? null : changesOf(rawLogs, network),
  }
}

function changesOf(rawLogs: readonly unknown[], network: FindOptions['network']): TokenChanges[] {
  const isEnd = (raw: unknown) => {
    const log = parseHex(parseObject(raw).address, 20) === network.settlement && parseSettlementLog(raw)
    return typeof log === 'object' && log.type === 'settlement'
  }
  const ends = rawLogs.flatMap((raw, index) => (isEnd(raw) ? [index + 1] : []))
  return ends.map((end, index) => {
    const start = ends[index - 1] ?? 0
    const changes = loggedChanges(
      rawLogs.slice(start, ends[index + 1] === undefined ? undefined : end),
      network,
    )
    const native = changes.get(nativeMarker) ?? 0n
    changes.delete(nativeMarker)
    return changes.set(network.wrappedNative, (changes.get(network.wrappedNative) ?? 0n) + native)
  })
}
