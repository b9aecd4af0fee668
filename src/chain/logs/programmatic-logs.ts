import { readAbi } from '../../domain/evm/abi-reader.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'
import { keccakText } from '../../domain/evm/keccak.ts'
import type { ConditionalOrderContracts } from '../../domain/network/network.ts'
import { type ConditionalOrderParams, decodeParams, paramsId } from '../../domain/programmatic/params.ts'
import { parseHash, parseHex, parseList, parseObject } from '../rpc/wire.ts'
import { type LogPosition, parseLogPosition } from './logs.ts'

/** The log of a wallet that authorised a programmatic order. */
interface CreationLog extends LogPosition {
  type: 'creation'
  owner: Address
  hash: Bytes32
  params: ConditionalOrderParams
}

/** The log of a wallet that authorised all programmatic orders of a Merkle tree, in place of those before. */
interface RootLog extends LogPosition {
  type: 'root'
  owner: Address
  root: Bytes32
  /** The location of the leaves, as the contract numbers it. */
  location: bigint
  /** The leaves, or a reference to them; null where it is larger than what is kept. */
  data: Hex | null
}

/** The log of a factory that made a proxy, which acts for an account. */
interface ShedLog extends LogPosition {
  type: 'shed'
  shed: Address
  account: Address
}

export type ProgrammaticLog = CreationLog | RootLog | ShedLog

const created = keccakText('ConditionalOrderCreated(address,(address,bytes32,bytes))')
const rootSet = keccakText('MerkleRootSet(address,bytes32,(uint256,bytes))')
const shedBuilt = keccakText('COWShedBuilt(address,address)')
export const programmaticEvents: readonly Bytes32[] = [created, rootSet, shedBuilt]

/** The size in bytes up to which the data of a root is kept. Anyone may log any. */
const maxRootData = 65_536

export function programmaticAddresses(contracts: ConditionalOrderContracts | undefined): readonly Address[] {
  return contracts ? [contracts.composableCow, ...contracts.shedFactories] : []
}

/**
 * Parses a log of the contract of programmatic orders, or of a factory.
 * @returns undefined for another event, `malformed` for data that the contract cannot have written, and for
 *   an input that is larger than what is followed
 */
export function parseProgrammaticLog(
  raw: unknown,
  { composableCow }: Pick<ConditionalOrderContracts, 'composableCow'>,
): ProgrammaticLog | 'malformed' | undefined {
  const item = parseObject(raw)
  const isOfOrders = parseHex(item.address, 20) === composableCow
  const [event, owner] = parseList(item.topics).map((topic) => parseHash(topic))
  const data = parseHex(item.data)
  const place = parseLogPosition(item)
  if (event === shedBuilt && !isOfOrders) return toShed(data, place) ?? 'malformed'
  if (!isOfOrders || (event !== created && event !== rootSet)) return undefined
  const account = owner && readAbi(owner, (tuple) => tuple.address())
  if (!account) return 'malformed'
  return (event === created ? toCreation(data, account, place) : toRoot(data, account, place)) ?? 'malformed'
}

function toCreation(data: Hex, owner: Address, place: LogPosition): CreationLog | undefined {
  const params = decodeParams(data)
  return params && { type: 'creation', ...place, owner, hash: paramsId(params), params }
}

function toRoot(data: Hex, owner: Address, place: LogPosition): RootLog | undefined {
  const read = readAbi(data, (tuple) => {
    const root = tuple.bytes32()
    return { root, location: tuple.tuple((proof) => proof.uint()) }
  })
  const kept = readAbi(data, (tuple) => {
    tuple.bytes32()
    return tuple.tuple((proof) => {
      proof.uint()
      return proof.bytes(maxRootData)
    })
  })
  return read && { type: 'root', ...place, owner, ...read, data: kept ?? null }
}

function toShed(data: Hex, place: LogPosition): ShedLog | undefined {
  const read = readAbi(data, (tuple) => ({ account: tuple.address(), shed: tuple.address() }))
  return read && { type: 'shed', ...place, ...read }
}
