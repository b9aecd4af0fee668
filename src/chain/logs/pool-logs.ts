import type { Address } from '../../domain/evm/address.ts'
import { type Hex, hexSize } from '../../domain/evm/hex.ts'
import { keccakText } from '../../domain/evm/keccak.ts'
import { chunksOf } from '../rpc/chunks.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { parseHash, parseHex, parseList, parseObject } from '../rpc/wire.ts'
import { type LogPlace, type LogRange, parsePlace, readLogs } from './logs.ts'

/** A log of a pool. `swap`: the inflow, in atoms. `sync`: the reserves from then on. */
export type PoolLog = LogPlace & { pool: Address; type: 'swap' | 'sync'; amount0: bigint; amount1: bigint }

/** The number of addresses in one filter, which nodes limit. */
const poolsPerRead = 1_000

const swap = keccakText('Swap(address,uint256,uint256,uint256,uint256,address)')
const sync = keccakText('Sync(uint112,uint112)')
const maxReserve = 2n ** 112n - 1n

/**
 * Reads swaps and reserves of Uniswap V2-style pools in a block range, those of each pool by block and log
 * index. A log that such a pool cannot have written is left out.
 * @throws Outage as `readLogs` does
 */
export async function poolLogs(rpc: Rpc, pools: readonly Address[], range: LogRange): Promise<PoolLog[]> {
  const logs: PoolLog[] = []
  for (const addresses of chunksOf(pools, poolsPerRead)) {
    const raw = await readLogs(rpc, { addresses, events: [swap, sync] }, range)
    for (const item of raw) logs.push(...parsePoolLog(item))
  }
  return logs
}

function parsePoolLog(raw: unknown): PoolLog[] {
  const item = parseObject(raw)
  const [event] = parseList(item.topics).map((topic) => parseHash(topic))
  const data = parseHex(item.data)
  const isSwap = event === swap
  if ((!isSwap && event !== sync) || hexSize(data) !== (isSwap ? 128 : 64)) return []
  const [amount0, amount1] = [wordAt(data, 0), wordAt(data, 1)]
  if (amount0 > maxReserve || amount1 > maxReserve) return []
  const pool = parseHex(item.address, 20)
  return [{ ...parsePlace(item), pool, type: isSwap ? 'swap' : 'sync', amount0, amount1 }]
}

function wordAt(data: Hex, index: number): bigint {
  return BigInt(`0x${data.slice(2 + 64 * index, 66 + 64 * index)}`)
}
