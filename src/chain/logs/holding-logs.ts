import { type Address, address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import { keccakText } from '../../domain/evm/keccak.ts'
import { chunksOf } from '../rpc/chunks.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { parseHash, parseHex, parseList, parseObject } from '../rpc/wire.ts'
import { readLogs } from './logs.ts'

/** The number of addresses in one filter, which nodes limit. */
const tokensPerRead = 1_000

const events = [
  'Transfer(address,address,uint256)',
  'Approval(address,address,uint256)',
  'Deposit(address,uint256)',
  'Withdrawal(address,uint256)',
].map(keccakText)

/**
 * Reads the possible changes in a block range, both ends included: `account:token` for each account that a
 * log of these tokens names. Data is not read, so a token that emits false logs only costs reads of its own
 * balances.
 * @param endHash of block `to`, if it is known
 * @throws Outage as `readLogs` does
 */
export async function changedHoldings(
  rpc: Rpc,
  tokens: readonly Address[],
  from: number,
  to: number,
  endHash?: Bytes32,
): Promise<Set<string>> {
  const keys = new Set<string>()
  for (const addresses of chunksOf(tokens, tokensPerRead)) {
    for (const raw of await readLogs(rpc, { addresses, events }, { from, to, endHash })) {
      const log = parseObject(raw)
      const token = parseHex(log.address, 20)
      const [, ...indexed] = parseList(log.topics).map((topic) => parseHash(topic))
      for (const word of indexed.slice(0, 2)) keys.add(`${address(`0x${word.slice(26)}`)}:${token}`)
    }
  }
  return keys
}
