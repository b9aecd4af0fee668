import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'
import { endCall, type LoggedRight, type Right, readCall, readValue } from '../../domain/settlement/rights.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { available, parseReturn, toQuantity } from '../rpc/wire.ts'
import { encodeSettle } from './call.ts'

/** The gas of a view: several times the need of a token's view. Untrusted contracts get no more. */
const viewGas = 300_000

/** Several times the gas to end a right: only a foreign contract uses more. */
export const gasOfRight = 300_000n

/** A settlement without trades that ends the rights. */
export function encodeEndings(rights: readonly Right[], settlement: Address): Hex {
  const calls = rights.map((right) => endCall(right, settlement))
  const none = { tokens: [], clearingPrices: [], trades: [] }
  return encodeSettle({ ...none, interactions: [[], calls, []], auctionId: 0n })
}

/**
 * Reads the values of an account's rights at a block, by default the newest. The value is 0 for a right that
 * does not exist, or whose contract does not answer as one that honours it.
 * @param now in Unix seconds, for rights that expire
 * @throws Outage
 */
export async function readRights(
  rpc: Rpc,
  owner: Address,
  rights: readonly Right[],
  { now, blockHash }: { now: number; blockHash?: Bytes32 },
): Promise<LoggedRight[]> {
  const calls = rights.map((right) => ({
    method: 'eth_call',
    params: [
      { to: right.contract, data: readCall(right, owner), gas: toQuantity(viewGas) },
      blockHash ? { blockHash } : 'latest',
    ],
  }))
  const responses = await available(rpc.batch(calls))
  return rights.map((right, index) => {
    const response = responses[index]
    const returned = response && parseReturn(response)
    return { ...right, value: returned ? readValue(right, returned, now) : 0n }
  })
}
