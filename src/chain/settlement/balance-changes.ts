import { maxOf } from '../../domain/amount.ts'
import { type Address, nativeMarker, zeroAddress } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import { keccakText } from '../../domain/evm/keccak.ts'
import type { Network } from '../../domain/network/network.ts'
import { receiptLogs } from '../logs/logs.ts'
import { parseSettlementLog } from '../logs/settlement-logs.ts'
import { toTokenLogs } from '../logs/transfer-logs.ts'
import type { Rpc } from '../rpc/rpc.ts'
import {
  available,
  parseHash,
  parseHex,
  parseIndex,
  parseList,
  parseObject,
  parseQuantity,
  toQuantity,
} from '../rpc/wire.ts'

type Contracts = Pick<Network, 'settlement' | 'wrappedNative'>

const interactionTopic = keccakText('Interaction(address,uint256,bytes4)')

/**
 * Reads the change of each token of the settlement contract by a mined transaction from its logs, with zeros;
 * the native coin has the marker address.
 *
 * The amounts of accounts (`mined.ts`) come from the same logs, except for the balance below, which shows
 * native coins that arrive without a log: it prevents a solver from being blamed for a loss that did not
 * happen. The amounts of accounts cannot use it. They are kept for any block, also long after it, when nodes
 * no longer have its balances; and balances do not distinguish several settlements in one block.
 * @returns undefined if the transaction is not on chain
 * @throws Outage if the node does not answer, or sends an invalid receipt
 */
export async function balanceChanges(
  rpc: Rpc,
  network: Contracts,
  txHash: Bytes32,
): Promise<ReadonlyMap<Address, bigint> | undefined> {
  const receipt = await available(rpc.call('eth_getTransactionReceipt', [txHash]))
  if (receipt === null) return undefined
  const mined = parseObject(receipt)
  const changes = loggedChanges(receiptLogs(mined), network)
  const native = changes.get(nativeMarker) ?? 0n
  if (native < 0n) {
    // Incoming coins leave no log. The balance shows them, though only for the whole block.
    const block = parseIndex(mined.blockNumber)
    changes.set(nativeMarker, maxOf(native, await nativeChange(rpc, network, block)))
  }
  return changes
}

async function nativeChange(rpc: Rpc, { settlement }: Contracts, block: number): Promise<bigint> {
  const [before, after] = await Promise.all(
    [block - 1, block].map(async (number) =>
      parseQuantity(await available(rpc.call('eth_getBalance', [settlement, toQuantity(number)]))),
    ),
  )
  return (after ?? 0n) - (before ?? 0n)
}

/** The changes by the logs of one transaction, or of the part of it that is one settlement. */
export function loggedChanges(
  logs: readonly unknown[],
  { settlement, wrappedNative }: Contracts,
): Map<Address, bigint> {
  const changes = new Map<Address, bigint>()
  const add = (token: Address, amount: bigint) => changes.set(token, (changes.get(token) ?? 0n) + amount)
  const emitters = [...new Set(logs.map((log) => parseHex(parseObject(log).address, 20)))]
  for (const log of toTokenLogs(logs, emitters, { wrappedNative })) {
    if (log.type !== 'transfer') continue
    const { token, from, to, amount } = log
    if (to === settlement) add(token, amount)
    if (from === settlement) add(token, -amount)
    if (token === wrappedNative && from === settlement && to === zeroAddress) add(nativeMarker, amount)
  }
  for (const log of logs.filter((one) => parseObject(one).address === settlement)) {
    add(nativeMarker, -nativePaid(log, settlement))
  }
  return changes
}

/** The native coins that the settlement contract pays according to this log. */
function nativePaid(log: unknown, settlement: Address): bigint {
  const { topics, data } = parseObject(log)
  const [topic, target = ''] = parseList(topics).map((one) => parseHash(one))
  if (topic === interactionTopic) {
    return target.endsWith(settlement.slice(2)) ? 0n : BigInt(parseHex(data).slice(0, 66))
  }
  const parsed = parseSettlementLog(log)
  if (parsed === undefined || parsed === 'malformed' || parsed.type !== 'trade') return 0n
  return parsed.buyToken === nativeMarker ? parsed.buyAmount : 0n
}
