import { expect, test } from 'vitest'
import { createInvalidationReader } from '../../../src/chain/order/presignatures.ts'
import { type Rpc, type RpcCall, RpcError, type RpcResponse } from '../../../src/chain/rpc/rpc.ts'
import { settlementAbi } from '../../../src/chain/settlement/call.ts'
import type { OrderUid } from '../../../src/domain/order/order.ts'
import { numbered } from '../../fakes/order.ts'

const uidOf = (digits: string): OrderUid => `0x${digits.repeat(56)}` as const
const [kept, fresh, old] = [uidOf('01'), uidOf('02'), uidOf('03')]
const uids = [kept, fresh, old]

/** A node at whose newest block two orders are invalidated, one of them since block 7. */
function createReader(hasState = true) {
  const asked: unknown[] = []
  const answer = ({ params }: RpcCall): RpcResponse => {
    const [call, block] = params as [{ data: string }, string]
    const [uid] = settlementAbi.decodeFunctionData('filledAmount', call.data)
    asked.push([uid, block])
    if (block !== 'latest' && !hasState) return { error: new RpcError('missing trie node', -32_000) }
    const isInvalidated = uid === old || (uid === fresh && block === 'latest')
    return { value: `0x${(isInvalidated ? 'f' : '0').repeat(64)}` }
  }
  const rpc: Rpc = {
    call: async (method) => expect.unreachable(method),
    batch: async (calls) => calls.map(answer),
  }
  const network = { settlement: numbered('05'), finalityBlocks: 64 }
  return { asked, read: createInvalidationReader({ rpc, network }) }
}

test('an order counts as invalidated after a block if it was not before; only such orders are read twice', async () => {
  const { read, asked } = createReader()
  expect(await read(uids, 7)).toEqual(new Set([fresh]))
  expect(asked).toEqual([
    [kept, 'latest'],
    [fresh, 'latest'],
    [old, 'latest'],
    [fresh, '0x7'],
    [old, '0x7'],
  ])
})

test('none counts at a node that no longer has the state of the block', async () => {
  expect(await createReader(false).read(uids, 7)).toEqual(new Set())
})
