import { isUtf8 } from 'node:buffer'
import { Outage } from '../../domain/errors/error.ts'
import { encodeList, encodeTuple, word } from '../../domain/evm/abi.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'
import type { Token } from '../../domain/token/token.ts'
import { metadataReaderCode } from '../bytecode.generated.ts'
import { chunksOf, type Rpc, type RpcResponse } from '../rpc/rpc.ts'
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

type Metadata = Omit<Token, 'chainId'>

/** The return data of a token for one call. */
interface Returned {
  /** The number of bytes returned; 0 also if the call failed. */
  size: number
  /** The first bytes, up to the reader's limit. */
  bytes: Buffer
}

const maxTextLength = 100
/** The limits of MetadataReader.sol for a text and for a number. */
const maxTextBytes = 464
const maxNumberBytes = 32

/**
 * Parses the result of MetadataReader.sol for these tokens; null for a value that a token does not return or
 * that cannot be decoded.
 * @throws Outage if MetadataReader.sol cannot have returned it
 */
function parseMetadata(returned: Hex, tokens: readonly Address[]): Metadata[] {
  const bytes = Buffer.from(returned.slice(2), 'hex')
  let offset = 0
  function readNext(maxBytes: number): Returned {
    const size = smallWord(bytes, offset)
    const end = offset + 32 + Math.min(size ?? 0, maxBytes)
    if (size === undefined || end > bytes.length) throw malformed(bytes.length)
    const returned = { size, bytes: bytes.subarray(offset + 32, end) }
    offset = end
    return returned
  }
  const metadata = tokens.map((address) => ({
    address,
    symbol: toText(readNext(maxTextBytes)),
    name: toText(readNext(maxTextBytes)),
    decimals: toDecimals(readNext(maxNumberBytes)),
  }))
  if (offset !== bytes.length) throw malformed(bytes.length)
  return metadata
}

function malformed(size: number): Outage {
  return new Outage('the network node', new TypeError(`not what MetadataReader.sol returns: ${size} bytes`))
}

/**
 * Decodes a text. Some early tokens return bytes32 instead of a string. The text is untrusted: only visible
 * characters are kept, on one line, up to `maxTextLength`.
 */
function toText(returned: Returned): string | null {
  const result = returned.size === 32 ? fixedText(returned.bytes) : stringText(returned)
  const text = result.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').trim()
  return [...text].slice(0, maxTextLength).join('') || null
}

/** Decodes text that is padded with zeros to 32 bytes. Any other word is a number or a hash, not text. */
function fixedText(word: Buffer): string {
  const end = word.indexOf(0)
  const text = end < 0 ? word : word.subarray(0, end)
  const isZeroPadded = word.subarray(text.length).every((byte) => byte === 0)
  return isZeroPadded && isUtf8(text) ? text.toString('utf8') : ''
}

/** Decodes an ABI string leniently: invalid UTF-8 is replaced, not refused. */
function stringText({ size, bytes }: Returned): string {
  const offset = smallWord(bytes, 0)
  const length = offset === undefined ? undefined : smallWord(bytes, offset)
  if (offset === undefined || length === undefined || offset + 32 + length > size) return ''
  const text = bytes.subarray(offset + 32, offset + 32 + length)
  // A truncated text can end within a character, which is dropped.
  return new TextDecoder().decode(text, { stream: text.length < length })
}

function toDecimals({ bytes }: Returned): number | null {
  const decimals = smallWord(bytes, 0)
  return decimals !== undefined && decimals < 256 ? decimals : null
}

/** The number in a word; undefined without a full word, or for 2^48 or more. */
function smallWord(bytes: Buffer, offset: number): number | undefined {
  if (offset + 32 > bytes.length || bytes.subarray(offset, offset + 26).some((byte) => byte !== 0))
    return undefined
  return bytes.readUIntBE(offset + 26, 6)
}

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
  // A token that makes the call fail must not affect the other tokens of its group.
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
