import { Outage } from '../domain/errors/error.ts'
import { encodeList, encodeTuple, word } from '../domain/evm/abi.ts'
import { type Address, address, zeroAddress } from '../domain/evm/address.ts'
import type { Bytes32, Hex } from '../domain/evm/hex.ts'
import type { Pool } from '../domain/routing/pool.ts'
import { poolReaderCode } from './bytecode/pool-reader.ts'
import type { Rpc } from './rpc/rpc.ts'
import { available, parseAnswer, parseHex, toQuantity } from './rpc/wire.ts'

export type Reserves = Pick<Pool, 'reserve0' | 'reserve1'>

export interface PoolQuestion {
  pools: readonly Address[]
  /** Where pairs are looked up. */
  factory: Address
  /** Each token pair in either order. */
  pairs: readonly (readonly [Address, Address])[]
}

export interface FoundPool {
  pool: Address
  reserves: Reserves | undefined
}

/** In the order of the question. What does not speak like a pool has no reserves, and where none speaks like a factory is no pool. */
export interface PoolAnswer {
  reserves: (Reserves | undefined)[]
  found: (FoundPool | undefined)[]
}

/**
 * Of one call: with all of them using up what gas they are given it stays below 2^24, the most that one transaction may have;
 * what is sent stays far below the 49,152 bytes of creation code, and what comes back below the 24,576 of code.
 */
const poolsPerCall = 400
const pairsPerCall = 200
const callGas = toQuantity(2 ** 24)

/**
 * The state of one block, whether or not it is still the newest: all in one round trip.
 * @throws Outage, also when the node has no such block (any more)
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
  const answers = (await available(rpc.batch(calls))).map((answer) => parseHex(parseAnswer(answer)))
  const decoded = questions.map((question, index) => decode(answers[index] ?? '0x', question))
  return {
    reserves: decoded.flatMap(({ reserves }) => reserves),
    found: decoded.flatMap(({ found }) => found),
  }
}

/** The constructor's arguments behind its code. */
function encode({ factory, pools, pairs }: PoolQuestion): Hex {
  const known = encodeList(pools.map(word))
  const wanted = encodeList(pairs.map(([one, other]) => word(one) + word(other)))
  return `${poolReaderCode}${encodeTuple([word(factory), { dynamic: known }, { dynamic: wanted }])}`
}

/** @throws Outage when it is not what PoolReader.sol returns */
function decode(returned: Hex, { pools, pairs }: PoolQuestion): PoolAnswer {
  const words = returned.slice(2).match(/.{64}/g) ?? []
  if (returned.length !== 2 + 64 * (pools.length + 2 * pairs.length))
    throw new Outage('the network node', new TypeError(`${words.length} words for ${pools.length} pools`))
  const rest = words.slice(pools.length)
  return {
    reserves: pools.map((_, index) => toReserves(words[index])),
    found: pairs.map((_, index) => {
      const pool = address(rest[2 * index]?.slice(24) ?? '')
      return pool === zeroAddress ? undefined : { pool, reserves: toReserves(rest[2 * index + 1]) }
    }),
  }
}

/** 32 bits that say whether it is a pool, and 112 bits for each reserve. */
function toReserves(packed = ''): Reserves | undefined {
  if (!packed.startsWith('00000001')) return undefined
  return { reserve0: BigInt(`0x${packed.slice(8, 36)}`), reserve1: BigInt(`0x${packed.slice(36)}`) }
}

function chunksOf<T>(items: readonly T[], size: number): T[][] {
  const count = Math.ceil(items.length / size)
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size))
}
