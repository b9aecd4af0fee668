import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import { type LoggedRight, type Right, readCall, readValue } from '../../domain/settlement/rights.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { available, parseReturn, toQuantity } from '../rpc/wire.ts'

/** Several times what a view of a token needs; contracts of strangers get no more. */
const viewGas = 300_000

/**
 * What rights of an account are worth at a block, by default the newest: 0 for those that do not exist, or whose contract does not answer
 * as one that honours them.
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
