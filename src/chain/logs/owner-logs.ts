import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import { keccakText } from '../../domain/evm/keccak.ts'
import { addressWord, type LoggedRight, parseRight, rightEvents } from '../../domain/settlement/rights.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { parseHash, parseHex, parseList, parseObject } from '../rpc/wire.ts'
import { type LogFilter, type LogRange, parsePlace, readLogsAtOnce } from './logs.ts'

/** The tokens and rights of an account that the logs of a block range name, each once. */
export interface OwnerLogs {
  /** The number of logs read. */
  count: number
  /** The contracts whose logs report that it received something, with the first block. */
  tokens: Map<Address, number>
  /** The rights that it granted or revoked, by the last log of each. */
  rights: (LoggedRight & { blockNumber: number })[]
}

/**
 * The transfers of ERC-20 and ERC-721, ERC-6909, ERC-777 and ERC-1155, by the topic that names the recipient.
 */
const transferEvents = new Map<number, readonly Bytes32[]>([
  [
    2,
    [
      'Transfer(address,address,uint256)',
      'Transfer(address,address,address,uint256,uint256)',
      'Minted(address,address,uint256,bytes,bytes)',
    ].map(keccakText),
  ],
  [
    3,
    [
      'TransferSingle(address,address,address,uint256,uint256)',
      'TransferBatch(address,address,address,uint256[],uint256[])',
      'Sent(address,address,address,uint256,bytes,bytes)',
    ].map(keccakText),
  ],
])

/**
 * Reads the assets that an account received in a block range, and the rights that it granted, for any
 * contract.
 * @throws Outage as `readLogs` does, also if the node refuses the range
 */
export async function ownerLogs(rpc: Rpc, owner: Address, range: LogRange): Promise<OwnerLogs> {
  const raw = await readLogsAtOnce(rpc, filtersOf(owner), range)
  const tokens = new Map<Address, number>()
  const rights = new Map<string, OwnerLogs['rights'][number]>()
  for (const item of raw) {
    const { blockNumber } = parsePlace(item)
    const { address, topics: list, data } = parseObject(item)
    const contract = parseHex(address, 20)
    const topics = parseList(list).map((topic) => parseHash(topic))
    if (isTransferTo(owner, topics)) tokens.set(contract, tokens.get(contract) ?? blockNumber)
    const right = parseRight({ contract, topics, data: parseHex(data) }, owner)
    if (right) rights.set(keyOf(right), { ...right, blockNumber })
  }
  return { count: raw.length, tokens, rights: [...rights.values()] }
}

/** The filters: one for each place that can name the account. */
function filtersOf(owner: Address): LogFilter[] {
  return [1, 2, 3].map((topic) => ({
    events: [...(transferEvents.get(topic) ?? []), ...(rightEvents.get(topic) ?? [])],
    indexed: [...Array.from({ length: topic - 1 }, () => null), addressWord(owner)],
  }))
}

function isTransferTo(owner: Address, [event = '0x' as Bytes32, ...indexed]: readonly Bytes32[]): boolean {
  return indexed.some(
    (topic, index) => topic === addressWord(owner) && transferEvents.get(index + 1)?.includes(event),
  )
}

const keyOf = ({ kind, contract, grantee, subject }: LoggedRight) => [kind, contract, grantee, subject].join()
