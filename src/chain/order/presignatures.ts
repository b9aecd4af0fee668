import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { Network } from '../../domain/network/network.ts'
import type { OrderUid } from '../../domain/order/order.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { available, parseHash, parseResponse, toQuantity } from '../rpc/wire.ts'
import { settlementAbi } from '../settlement/call.ts'
import { presigned } from '../trade/call.ts'

/**
 * Reads whether the settlement contract has the presignatures of orders: at the newest final block, but not
 * before block `from`, or at the newest block of a node that no longer has the state of the earlier block. A
 * chain that ends before `from` says nothing.
 * @throws Outage
 */
export type ReadPresignatures = (
  uids: readonly OrderUid[],
  from: number,
) => Promise<ReadonlyMap<OrderUid, boolean>>

/** The filled amount of an invalidated order. */
const invalidatedWord: Bytes32 = `0x${'f'.repeat(64)}` as const

interface OrderStateOptions {
  rpc: Rpc
  network: Pick<Network, 'settlement' | 'finalityBlocks'>
}

/**
 * Returns a reader of one word of the settlement contract for each order: at a block, or at the newest one
 * without a block and of a node that no longer has the state of the block.
 */
function createWordReader({ rpc, network }: OrderStateOptions, view: 'preSignature' | 'filledAmount') {
  async function readAt(uids: readonly OrderUid[], block: string): Promise<[OrderUid, Bytes32][]> {
    const calls = uids.map((uid) => {
      const data = settlementAbi.encodeFunctionData(view, [uid])
      return { method: 'eth_call', params: [{ to: network.settlement, data }, block] }
    })
    const responses = await available(rpc.batch(calls))
    return responses.map((response, index) => [uids[index] as OrderUid, parseHash(parseResponse(response))])
  }

  return (uids: readonly OrderUid[], block?: number) => {
    const newest = () => readAt(uids, 'latest')
    return block === undefined ? newest() : readAt(uids, toQuantity(block)).catch(newest)
  }
}

export function createPresignatureReader({
  head,
  ...options
}: OrderStateOptions & { head(): Promise<{ number: number }> }): ReadPresignatures {
  const read = createWordReader(options, 'preSignature')
  return async (uids, from) => {
    const { number: newest } = await head()
    if (newest < from) return new Map()
    const final = Math.max(from, newest - options.network.finalityBlocks, 0)
    return new Map((await read(uids, final)).map(([uid, word]) => [uid, word === presigned]))
  }
}

/**
 * Reads which orders the settlement contract invalidated after a block; none at a node that no longer has its
 * state.
 * @throws Outage
 */
export type ReadInvalidated = (uids: readonly OrderUid[], after: number) => Promise<ReadonlySet<OrderUid>>

export function createInvalidationReader(options: OrderStateOptions): ReadInvalidated {
  const read = createWordReader(options, 'filledAmount')
  const invalidatedAmong = async (uids: readonly OrderUid[], block?: number) =>
    (await read(uids, block)).flatMap(([uid, word]) => (word === invalidatedWord ? [uid] : []))
  return async (uids, after) => {
    const invalidated = await invalidatedAmong(uids)
    const before = new Set(await invalidatedAmong(invalidated, after))
    return new Set(invalidated.filter((uid) => !before.has(uid)))
  }
}
