import { Outage } from '../../domain/errors/error.ts'
import { encodeList, encodeTuple, word } from '../../domain/evm/abi.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'
import type { Token } from '../../domain/token/token.ts'
import { metadataReaderCode } from '../bytecode.generated.ts'
import { chunksOf } from '../rpc/chunks.ts'
import type { Rpc, RpcResponse } from '../rpc/rpc.ts'
import {
  available,
  isExecutionFault,
  isTimeout,
  parseHash,
  parseHex,
  parseIndex,
  parseObject,
  parseResponse,
  toQuantity,
} from '../rpc/wire.ts'
import { parseMetadata } from './metadata-answer.ts'

/** A token as its contract describes it. */
export interface ReadToken extends Token {
  /** The block of the read; null if a new block arrived during it. */
  block: { number: number; hash: Bytes32 } | null
}

/**
 * The limit of one call. Even if every token uses up its gas, the call stays below 2^24, the limit of one
 * transaction, and its result below the 24,576 bytes of code.
 */
const tokensPerCall = 20
/** The gas that MetadataReader.sol gives one token, plus the code deposit for its result. */
const tokenGas = 740_000
const ownGas = 1_000_000

/**
 * Reads tokens at the newest block, in the order of `addresses`. Values that a contract does not return, or
 * returns malformed, are null. A token is an Outage if the node refused its call.
 * @throws Outage if the node answers no call
 */
export async function readTokenMetadata(
  rpc: Rpc,
  chainId: number,
  addresses: readonly Address[],
): Promise<(ReadToken | Outage)[]> {
  const calls = await callReader(rpc, chunksOf(addresses, tokensPerCall))
  // A token that makes the call fail must not affect the others of its group.
  const retryGroups = calls.filter(needsRetry).flatMap(({ group }) => group.map((address) => [address]))
  const retried = retryGroups.length > 0 ? await callReader(rpc, retryGroups).catch(ignoreOutage) : []
  const result = new Map([...calls, ...retried].flatMap((call) => toResults(call, chainId)))
  return addresses.map((address) => result.get(address) ?? new Outage('the network node'))
}

interface GroupCall {
  group: readonly Address[]
  response: RpcResponse | undefined
  block: ReadToken['block']
}

const newestBlock = { method: 'eth_getBlockByNumber', params: ['latest', false] }

/**
 * Calls the reader, and reads the newest block before and after. One batch goes to one node, so if both
 * blocks are the same, the whole read was at that block.
 */
async function callReader(rpc: Rpc, groups: readonly (readonly Address[])[]): Promise<GroupCall[]> {
  const responses = await available(rpc.batch([newestBlock, ...groups.map(toCall), newestBlock]))
  const [before, after] = [parseBlock(responses[0]), parseBlock(responses.at(-1))]
  const block = before.hash === after.hash ? before : null
  return groups.map((group, index) => ({ group, response: responses[index + 1], block }))
}

/** The reader's creation code, followed by the constructor's argument. */
function toCall(group: readonly Address[]) {
  const argument = encodeTuple([{ dynamic: encodeList(group.map(word)) }])
  const gas = toQuantity(ownGas + group.length * tokenGas)
  const data: Hex = `${metadataReaderCode}${argument}`
  return { method: 'eth_call', params: [{ data, gas }, 'latest'] }
}

function parseBlock(response: RpcResponse | undefined) {
  const { number, hash } = parseObject(parseResponse(response))
  return { number: parseIndex(number), hash: parseHash(hash) }
}

/**
 * Reports whether the tokens of a group must be read alone: one of them may have used up the gas or time of
 * the call.
 */
function needsRetry({ group, response }: GroupCall): boolean {
  if (group.length === 1 || !response || 'value' in response) return false
  return isExecutionFault(response.error) || isTimeout(response.error)
}

/** Ignores an Outage of the retry, so that the results of the first calls still count. */
function ignoreOutage(fault: unknown): GroupCall[] {
  if (fault instanceof Outage) return []
  throw fault
}

function toResults({ group, response, block }: GroupCall, chainId: number): [Address, ReadToken | Outage][] {
  try {
    const result = parseMetadata(parseHex(parseResponse(response)), group)
    return result.map((metadata) => [metadata.address, { chainId, ...metadata, block }])
  } catch (fault) {
    if (fault instanceof Outage) return group.map((address) => [address, fault])
    throw fault
  }
}
