import { Outage } from '../domain/errors/error.ts'
import { encodeList, encodeTuple, word } from '../domain/evm/abi.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Bytes32, Hex } from '../domain/evm/hex.ts'
import type { ProgrammaticKey } from '../domain/programmatic/params.ts'
import { authorisationReaderCode } from './bytecode.generated.ts'
import { chunksOf, type Rpc } from './rpc/rpc.ts'
import { available, parseHex, parseResponse, toQuantity } from './rpc/wire.ts'

/** The state of a programmatic order in the contract. */
export interface Authorisation {
  isAuthorised: boolean
  /** The word that its creation stored; 0 without one, and once it is removed. */
  context: bigint
}

/**
 * The limit of one call: it uses about 10,000 gas for each, and returns 64 bytes, far below the 24,576 bytes
 * of code.
 */
const keysPerCall = 300
const callGas = toQuantity(2 ** 24)

/**
 * Reads programmatic orders of the contract that authorises them at one block, in one round trip and in the
 * order of `keys`.
 * @throws Outage, also if the node does not have the block
 */
export async function readAuthorisations(
  rpc: Rpc,
  composableCow: Address,
  keys: readonly ProgrammaticKey[],
  blockHash: Bytes32,
): Promise<Authorisation[]> {
  const chunks = chunksOf(keys, keysPerCall)
  if (chunks.length === 0) return []
  const calls = chunks.map((chunk) => ({
    method: 'eth_call',
    params: [{ data: encode(composableCow, chunk), gas: callGas }, { blockHash }],
  }))
  const responses = await available(rpc.batch(calls))
  return chunks.flatMap((chunk, index) => decode(parseHex(parseResponse(responses[index])), chunk.length))
}

/** The reader's creation code, followed by the constructor's arguments. */
function encode(composableCow: Address, keys: readonly ProgrammaticKey[]): Hex {
  const questions = keys.map(({ owner, hash }) => word(owner) + hash.slice(2))
  const encoded = encodeTuple([word(composableCow), { dynamic: encodeList(questions) }])
  return `${authorisationReaderCode}${encoded}`
}

/** Decodes the answer. @throws Outage if AuthorisationReader.sol cannot have returned it */
function decode(returned: Hex, count: number): Authorisation[] {
  const words = returned.slice(2).match(/.{64}/g) ?? []
  if (words.length !== 2 * count)
    throw new Outage('the network node', new TypeError(`${words.length} words for ${count} authorisations`))
  return Array.from({ length: count }, (_, index) => ({
    isAuthorised: BigInt(`0x${words[2 * index]}`) === 1n,
    context: BigInt(`0x${words[2 * index + 1]}`),
  }))
}
