import type { Bytes32 } from '../../domain/evm/hex.ts'
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

/** The filled amount of an invalidated order. */
const invalidatedWord: Bytes32 = `0x${'f'.repeat(64)}` as const

interface OrderStateOptions {
  rpc: Rpc
  network: Pick<Network, 'settlement' | 'finalityBlocks'>
}

const atOnce = 100

/** A reader of what the settlement contract holds for each order, one word each. */
function createWordReader({ rpc, network }: OrderStateOptions, view: 'preSignature' | 'filledAmount') {
  return async (uids: readonly OrderUid[], block: string): Promise<[OrderUid, Bytes32][]> => {
    const calls = uids.map((uid) => {
      const data = settlementAbi.encodeFunctionData(view, [uid])
      return { method: 'eth_call', params: [{ to: network.settlement, data }, block] }
    })
    const responses = await available(rpc.batch(calls))
    return responses.map((response, index) => [uids[index] as OrderUid, parseHash(parseResponse(response))])
  }
}

export function createPresignatureReader({
  head,
  ...options
}: OrderStateOptions & { head(): Promise<{ number: number }> }): ReadPresignatures {
  const readAt = createWordReader(options, 'preSignature')
  return async (uids, from) => {
    const { number: newest } = await head()
    if (newest < from) return new Map()
    const final = Math.max(from, newest - options.network.finalityBlocks, 0)
    const read: [OrderUid, Bytes32][] = []
    for (const part of chunksOf(uids, atOnce))
      read.push(...(await readAt(part, toQuantity(final)).catch(() => readAt(part, 'latest'))))
    return new Map(read.map(([uid, word]) => [uid, word === presigned]))
  }
}

/** Reads which orders the settlement contract invalidated after a block. @throws Outage */
export type ReadInvalidated = (uids: readonly OrderUid[], after: number) => Promise<ReadonlySet<OrderUid>>

export function createInvalidationReader(options: OrderStateOptions): ReadInvalidated {
  const readAt = createWordReader(options, 'filledAmount')
  return async (uids, after) => {
    const invalidated = new Set<OrderUid>()
    for (const part of chunksOf(uids, atOnce)) {
      const before = new Map(await readAt(part, toQuantity(after)))
      for (const [uid, word] of await readAt(part, 'latest'))
        if (word === invalidatedWord && before.get(uid) !== invalidatedWord) invalidated.add(uid)
    }
    return invalidated
  }
}
