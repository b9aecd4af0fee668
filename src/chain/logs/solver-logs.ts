import { readAbi } from '../../domain/evm/abi-reader.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import { keccakText } from '../../domain/evm/keccak.ts'
import { parseHash, parseHex, parseList, parseObject } from '../rpc/wire.ts'
import { type LogPosition, parseLogPosition } from './logs.ts'

/** The log of the list of solvers that allowed an account to settle, or no longer does. */
export interface SolverLog extends LogPosition {
  type: 'solver'
  account: Address
  isAllowed: boolean
}

const added = keccakText('SolverAdded(address)')
const removed = keccakText('SolverRemoved(address)')
export const solverEvents: readonly Bytes32[] = [added, removed]

/** Parses a log of the list. @returns undefined for another event, `malformed` for data that it cannot have written */
export function parseSolverLog(raw: unknown): SolverLog | 'malformed' | undefined {
  const item = parseObject(raw)
  const [event, topic] = parseList(item.topics).map((each) => parseHash(each))
  if (event !== added && event !== removed) return undefined
  const account = readAbi(topic ?? parseHex(item.data), (tuple) => tuple.address())
  return account
    ? { type: 'solver', ...parseLogPosition(item), account, isAllowed: event === added }
    : 'malformed'
}
