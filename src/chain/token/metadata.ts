import { Outage } from '../../domain/errors/error.ts'
import { encodeList, encodeTuple, word } from '../../domain/evm/abi.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'
import type { Token } from '../../domain/token/token.ts'
import { metadataReaderCode } from '../bytecode/metadata-reader.ts'
import type { Rpc, RpcAnswer } from '../rpc/rpc.ts'
import {
  available,
  isExecutionFault,
  isTimeout,
  parseAnswer,
  parseHash,
  parseHex,
  parseIndex,
  parseObject,
  toQuantity,
} from '../rpc/wire.ts'
import { parseMetadata } from './metadata-answer.ts'

/** As its contract told it. */
export interface ReadToken extends Token {
  /** Whose state it is; null where another block became the newest meanwhile. */
  block: { number: number; hash: Bytes32 } | null
}

/**
 * Of one call: with all of them using up what they are given it stays below 2^24, the most gas that one
 * transaction may have, and what comes back stays below the 24,576 bytes of code.
 */
const tokensPerCall = 20
/** For what MetadataReader.sol gives one token, and for its answer, which is charged for as code. */
const tokenGas = 740_000
const ownGas = 1_000_000

/**
 * At the newest block, in the order asked for: a token, with null where the contract is silent or talks
 * nonsense, or an Outage where the node refused to ask this one.
 * @throws Outage when it answers nothing at all
 */
export async function readTokenMetadata(
  rpc: Rpc,
  chainId: number,
  addresses: readonly Address[],
): Promise<(ReadToken | Outage)[]> {
  const calls = await ask(rpc, groupsOf(addresses))
  // One that the node cannot bear must not silence the others of its call.
  const alone = calls.filter(isSpoilt).flatMap(({ group }) => group.map((address) => [address]))
  const again = alone.length > 0 ? await ask(rpc, alone).catch(nothingMore) : []
  const result = new Map([...calls, ...again].flatMap((call) => resultsOf(call, chainId)))
  return addresses.map((address) => result.get(address) ?? new Outage('the network node'))
}

interface Call {
  group: readonly Address[]
  answer: RpcAnswer | undefined
  block: ReadToken['block']
}

const newest = { method: 'eth_getBlockByNumber', params: ['latest', false] }

/**
 * The batch keeps all of it on one node: what stands between two looks at the same block was read in that
 * block.
 */
async function ask(rpc: Rpc, groups: readonly (readonly Address[])[]): Promise<Call[]> {
  const answers = await available(rpc.batch([newest, ...groups.map(toCall), newest]))
  const [before, after] = [parseBlock(answers[0]), parseBlock(answers.at(-1))]
  const block = before.hash === after.hash ? before : null
  return groups.map((group, index) => ({ group, answer: answers[index + 1], block }))
}

/** The constructor's argument behind its code. */
function toCall(group: readonly Address[]) {
  const argument = encodeTuple([{ dynamic: encodeList(group.map(word)) }])
  const gas = toQuantity(ownGas + group.length * tokenGas)
  const data: Hex = `${metadataReaderCode}${argument}`
  return { method: 'eth_call', params: [{ data, gas }, 'latest'] }
}

function parseBlock(answer: RpcAnswer | undefined) {
  const { number, hash } = parseObject(parseAnswer(answer))
  return { number: parseIndex(number), hash: parseHash(hash) }
}

/** The code of one of many may have used up what the call had: asked alone, nobody pays for another. */
function isSpoilt({ group, answer }: Call): boolean {
  if (group.length === 1 || !answer || 'value' in answer) return false
  return isExecutionFault(answer.error) || isTimeout(answer.error)
}

/** What was told before stands, and so do the outages of the rest. */
function nothingMore(fault: unknown): Call[] {
  if (fault instanceof Outage) return []
  throw fault
}

function resultsOf({ group, answer, block }: Call, chainId: number): [Address, ReadToken | Outage][] {
  try {
    const result = parseMetadata(parseHex(parseAnswer(answer)), group)
    return result.map((metadata) => [metadata.address, { chainId, ...metadata, block }])
  } catch (fault) {
    if (fault instanceof Outage) return group.map((address) => [address, fault])
    throw fault
  }
}

function groupsOf(addresses: readonly Address[]): Address[][] {
  const count = Math.ceil(addresses.length / tokensPerCall)
  return Array.from({ length: count }, (_, index) =>
    addresses.slice(index * tokensPerCall, (index + 1) * tokensPerCall),
  )
}
