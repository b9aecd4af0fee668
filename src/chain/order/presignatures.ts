import type { Network } from '../../domain/network/network.ts'
import type { OrderUid } from '../../domain/order/order.ts'
import { chunksOf, type Rpc } from '../rpc/rpc.ts'
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

interface PresignatureOptions {
  rpc: Rpc
  network: Pick<Network, 'settlement' | 'finalityBlocks'>
  head(): Promise<{ number: number }>
}

const atOnce = 100

export function createPresignatureReader({ rpc, network, head }: PresignatureOptions): ReadPresignatures {
  async function readAt(uids: readonly OrderUid[], block: string): Promise<[OrderUid, boolean][]> {
    const calls = uids.map((uid) => {
      const data = settlementAbi.encodeFunctionData('preSignature', [uid])
      return { method: 'eth_call', params: [{ to: network.settlement, data }, block] }
    })
    const words = (await available(rpc.batch(calls))).map((response) => parseHash(parseResponse(response)))
    return uids.map((uid, index) => [uid, words[index] === presigned])
  }

  return async (uids, from) => {
    const { number: newest } = await head()
    if (newest < from) return new Map()
    const final = Math.max(from, newest - network.finalityBlocks, 0)
    const read: [OrderUid, boolean][] = []
    for (const part of chunksOf(uids, atOnce))
      read.push(...(await readAt(part, toQuantity(final)).catch(() => readAt(part, 'latest'))))
    return new Map(read)
  }
}
