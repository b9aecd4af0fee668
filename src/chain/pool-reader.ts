import { Outage } from '../domain/errors/error.ts'
import { encodeList, encodeTuple, word } from '../domain/evm/abi.ts'
import { type Address, address, zeroAddress } from '../domain/evm/address.ts'
import { type Bytes32, type Hex, hexSize } from '../domain/evm/hex.ts'
import { keccakText } from '../domain/evm/keccak.ts'
import type { Pool } from '../domain/routing/pool.ts'
import { poolReaderCode } from './bytecode.generated.ts'
import { type LogPosition, type LogRange, parseLogPosition, readLogs } from './logs/logs.ts'
import { chunksOf, type Rpc } from './rpc/rpc.ts'
import {
  available,
  parseHash,
  parseHex,
  parseList,
  parseObject,
  parseResponse,
  toQuantity,
} from './rpc/wire.ts'

export type Reserves = Pick<Pool, 'reserve0' | 'reserve1'>

interface PoolQuestion {
  pools: readonly Address[]
  /** The factory in which the pool of each pair is looked up. */
  factory: Address
  /** The token pairs, each in either order. */
  pairs: readonly (readonly [Address, Address])[]
}

interface PairPool {
  pool: Address
  reserves: Reserves | undefined
}

/**
 * The answer in the order of the question; undefined for a contract that is not a pool, and for a pair
 * without a pool.
 */
export interface PoolAnswer {
  reserves: (Reserves | undefined)[]
  found: (PairPool | undefined)[]
}

/**
 * The limits of one call. Even if every pool uses up its gas, the call stays below 2^24, the limit of one
 * transaction. Calldata stays far below the 49,152 bytes of creation code, the result below the 24,576 bytes
 * of code.
 */
const poolsPerCall = 400
const pairsPerCall = 200
const callGas = toQuantity(2 ** 24)

/**
 * Reads pools at one block, in one round trip. The block need not be the newest.
 * @throws Outage, also if the node does not have the block
 */
export async function readPools(
  rpc: Rpc,
  { factory, pools, pairs }: PoolQuestion,
  blockHash: Bytes32,
): Promise<PoolAnswer> {
  const questions = [
    ...chunksOf(pools, poolsPerCall).map((chunk) => ({ pools: chunk, factory, pairs: [] })),
    ...chunksOf(pairs, pairsPerCall).map((chunk) => ({ pools: [], factory, pairs: chunk })),
  ]
  if (questions.length === 0) return { reserves: [], found: [] }
  const calls = questions.map((question) => ({
    method: 'eth_call',
    params: [{ data: encode(question), gas: callGas }, { blockHash }],
  }))
  const results = (await available(rpc.batch(calls))).map((response) => parseHex(parseResponse(response)))
  const decoded = questions.map((question, index) => decode(results[index] ?? '0x', question))
  return {
    reserves: decoded.flatMap(({ reserves }) => reserves),
    found: decoded.flatMap(({ found }) => found),
  }
}

/** The reader's creation code, followed by the constructor's arguments. */
function encode({ factory, pools, pairs }: PoolQuestion): Hex {
  const encodedPools = encodeList(pools.map(word))
  const encodedPairs = encodeList(pairs.map(([one, other]) => word(one) + word(other)))
  return `${poolReaderCode}${encodeTuple([word(factory), { dynamic: encodedPools }, { dynamic: encodedPairs }])}`
}

/** Decodes the answer. @throws Outage if PoolReader.sol cannot have returned it */
function decode(returned: Hex, { pools, pairs }: PoolQuestion): PoolAnswer {
  const words = returned.slice(2).match(/.{64}/g) ?? []
  if (returned.length !== 2 + 64 * (pools.length + 2 * pairs.length))
    throw new Outage('the network node', new TypeError(`${words.length} words for ${pools.length} pools`))
  const pairWords = words.slice(pools.length)
  return {
    reserves: pools.map((_, index) => toReserves(words[index])),
    found: pairs.map((_, index) => {
      const pool = address(`0x${pairWords[2 * index]?.slice(24)}`)
      return pool === zeroAddress ? undefined : { pool, reserves: toReserves(pairWords[2 * index + 1]) }
    }),
  }
}

/** Decodes reserves: 32 bits are 1 for a pool, followed by 112 bits for each reserve. */
function toReserves(packed = ''): Reserves | undefined {
  if (!packed.startsWith('00000001')) return undefined
  return { reserve0: BigInt(`0x${packed.slice(8, 36)}`), reserve1: BigInt(`0x${packed.slice(36)}`) }
}

/** A log of a pool. `swap`: the inflow, in atoms. `sync`: the reserves from then on. */
export type PoolLog = LogPosition & { pool: Address; type: 'swap' | 'sync'; amount0: bigint; amount1: bigint }

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
  return [{ ...parseLogPosition(item), pool, type: isSwap ? 'swap' : 'sync', amount0, amount1 }]
}

function wordAt(data: Hex, index: number): bigint {
  return BigInt(`0x${data.slice(2 + 64 * index, 66 + 64 * index)}`)
}
