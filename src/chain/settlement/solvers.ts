import { Interface } from 'ethers'
import { type AbiTuple, readAbi } from '../../domain/evm/abi-reader.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import { keccakText } from '../../domain/evm/keccak.ts'
import type { Network } from '../../domain/network/network.ts'
import { type LogPosition, parseLogPosition } from '../logs/logs.ts'
import type { Rpc, RpcResponse } from '../rpc/rpc.ts'
import { available, parseHash, parseHex, parseList, parseObject, toQuantity } from '../rpc/wire.ts'

const abi = new Interface([
  'function authenticator() view returns (address)',
  'function isSolver(address) view returns (bool)',
])
const encoded = (name: string, ...values: unknown[]) => abi.encodeFunctionData(name, values)

/** An account at the end of a block. */
export interface AccountAt {
  account: Address
  block: number
}

/** The contract that lists the accounts that may settle. */
interface SolverList {
  /** Returns its address; undefined while the settlement contract names none. @throws Outage */
  address(): Promise<Address | undefined>
  /** Reports whether it lists accounts; undefined where the node does not have the state. @throws Outage */
  allowedAt(accounts: readonly AccountAt[]): Promise<(boolean | undefined)[]>
}

export function createSolverList(rpc: Rpc, { settlement }: Pick<Network, 'settlement'>): SolverList {
  let known: Address | undefined
  async function address(): Promise<Address | undefined> {
    if (known) return known
    const call = {
      method: 'eth_call',
      params: [{ to: settlement, data: encoded('authenticator') }, 'latest'],
    }
    const [response] = await available(rpc.batch([call]))
    known = readReturned(response, (tuple) => tuple.address())
    return known
  }
  return {
    address,
    async allowedAt(accounts) {
      const list = await address()
      if (!list) return accounts.map(() => undefined)
      const calls = accounts.map(({ account, block }) => ({
        method: 'eth_call',
        params: [{ to: list, data: encoded('isSolver', account) }, toQuantity(block)],
      }))
      const responses = calls.length > 0 ? await available(rpc.batch(calls)) : []
      return accounts.map((_, index) => readReturned(responses[index], (tuple) => tuple.flag()))
    },
  }
}

/** Reads what the contract returned; undefined for a contract, or a state, that the node does not have. */
function readReturned<Value>(
  response: RpcResponse | undefined,
  read: (tuple: AbiTuple) => Value,
): Value | undefined {
  return response && 'value' in response ? readAbi(parseHex(response.value), read) : undefined
}

/** The log of the list of solvers that allowed an account to settle, or no longer does. */
export interface SolverLog extends LogPosition {
  type: 'solver'
  account: Address
  isAllowed: boolean
}

const added = keccakText('SolverAdded(address)')
const removed = keccakText('SolverRemoved(address)')
export const solverEvents: readonly Bytes32[] = [added, removed]

/**
 * Parses a log of the list.
 * @returns undefined for another event, `malformed` for data that it cannot have written
 */
export function parseSolverLog(raw: unknown): SolverLog | 'malformed' | undefined {
  const item = parseObject(raw)
  const [event, topic] = parseList(item.topics).map((each) => parseHash(each))
  if (event !== added && event !== removed) return undefined
  const account = readAbi(topic ?? parseHex(item.data), (tuple) => tuple.address())
  return account
    ? { type: 'solver', ...parseLogPosition(item), account, isAllowed: event === added }
    : 'malformed'
}
