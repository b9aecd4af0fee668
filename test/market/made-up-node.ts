import { poolReaderCode } from '../../src/chain/bytecode.generated.ts'
import type { Rpc, RpcCall } from '../../src/chain/rpc/rpc.ts'
import { toQuantity } from '../../src/chain/rpc/wire.ts'
import type { Bytes32 } from '../../src/domain/evm/hex.ts'

/**
 * A node with a pool for every pair, unless it is barren; both reserves are the height of the block. It
 * answers at once.
 * @returns how many pools and pairs each round trip read, and the heads that were requested
 */
export function createMadeUpNode() {
  const node = {
    height: 1,
    fork: 0,
    barren: false,
    heads: 0,
    reads: [] as { pools: number; pairs: number; calls: number }[],
  }
  const hash = () => `0x${(node.fork * 1_000_000 + node.height).toString(16).padStart(64, '0')}` as Bytes32

  const answer = ({ method, params: [call] = [] }: RpcCall) => {
    if (method === 'eth_maxPriorityFeePerGas') return { value: '0x1' }
    if (method === 'eth_getBlockByNumber') {
      node.heads++
      return { value: { number: toQuantity(node.height), hash: hash(), baseFeePerGas: '0x1' } }
    }
    const { pools, pairs } = asked(call)
    const height = node.height.toString(16).padStart(28, '0')
    const pool = `00000001${height}${height}`
    const place = (pair: string) =>
      node.barren
        ? '0'.repeat(64)
        : `${'0'.repeat(24)}${pair.slice(24, 34)}${'00'.repeat(10)}${pair.slice(-10)}`
    return { value: `0x${pool.repeat(pools.length)}${pairs.map((pair) => place(pair) + pool).join('')}` }
  }
  const rpc: Rpc = {
    call: () => Promise.reject(new Error('nothing is asked alone')),
    batch: async (calls) => {
      const reads = calls
        .filter(({ method }) => method === 'eth_call')
        .map(({ params: [call] = [] }) => asked(call))
      if (reads.length > 0) {
        const count = (of: 'pools' | 'pairs') => reads.reduce((sum, one) => sum + one[of].length, 0)
        node.reads.push({ pools: count('pools'), pairs: count('pairs'), calls: reads.length })
      }
      return calls.map(answer)
    },
  }
  return Object.assign(node, { rpc })
}

/**
 * The constructor's arguments in words: factory, two offsets, pools and pairs, each preceded by their number.
 */
function asked(call: unknown): { pools: string[]; pairs: string[] } {
  const { data } = call as { data: string }
  const words = data.slice(poolReaderCode.length).match(/.{64}/g) ?? []
  const poolCount = Number(`0x${words[3]}`)
  const pairs = words.slice(5 + poolCount)
  return {
    pools: words.slice(4, 4 + poolCount),
    pairs: pairs.flatMap((word, index) => (index % 2 ? [] : [word + (pairs[index + 1] ?? '')])),
  }
}
