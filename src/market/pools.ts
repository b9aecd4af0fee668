import { Interface } from 'ethers'
import type { Rpc, RpcAnswer } from '../chain/rpc.ts'
import { available, parseIndex, parseReturn, toQuantity } from '../chain/wire.ts'
import { type Address, address, zeroAddress } from '../domain/address.ts'
import { hexSize } from '../domain/hex.ts'
import type { Clock } from '../domain/log.ts'
import type { Network } from '../domain/network.ts'
import type { Pool } from '../domain/pool.ts'

/** Liquidity of Uniswap V2-style pools. */
export interface Pools {
  /**
   * The pools that routes of two swaps between these pairs can use: of the pair itself, of its tokens with base tokens of the
   * network, and between those, with their reserves at `block` (default: the newest). Empty pools are left out.
   * @throws Outage
   */
  around(pairs: readonly TokenPair[], block?: number): Promise<Pool[]>
}

export type TokenPair = readonly [Address, Address]

/** The market as it stood in one block. */
export interface MarketView {
  block: number
  /** Wei for one unit of gas, as a transaction sent now would pay it. */
  gasPrice: bigint
  pools: readonly Pool[]
}

type Pair = Pick<Pool, 'token0' | 'token1'>
type Reserves = Pick<Pool, 'reserve0' | 'reserve1'>

const factoryAbi = new Interface(['function getPair(address, address) view returns (address)'])
const pairAbi = new Interface(['function getReserves() view returns (uint112, uint112, uint32)'])

const absentForMs = 60_000
const mostPairs = 50_000

export function createPools({ rpc, network, now }: { rpc: Rpc; network: Network; now: Clock }): Pools {
  const bases = [...new Set([network.wrappedNative, ...network.baseTokens])]
  const addresses = createPairBook(rpc, network.poolFactory, now)
  let read: { block: number; reserves: Map<Address, Reserves> } = { block: -1, reserves: new Map() }

  /** Adds what is not known yet for this block; a newer block starts afresh. */
  async function readReserves(pools: readonly Address[], block: number): Promise<Map<Address, Reserves>> {
    if (read.block !== block) read = { block, reserves: new Map() }
    const { reserves } = read
    const unread = pools.filter((pool) => !reserves.has(pool))
    const calls = unread.map((to) => ({
      method: 'eth_call',
      params: [{ to, data: pairAbi.encodeFunctionData('getReserves') }, toQuantity(block)],
    }))
    const answers = await available(rpc.batch(calls))
    answers.forEach((answer, index) => {
      const pool = unread[index]
      if (pool) reserves.set(pool, parseReserves(answer))
    })
    return reserves
  }

  return {
    async around(wanted, block) {
      const at = block ?? parseIndex(await available(rpc.call('eth_blockNumber')))
      const pairs = await addresses.find(pairsAround(wanted, bases))
      const reserves = await readReserves([...pairs.keys()], at)
      return [...pairs].flatMap(([pool, pair]) => {
        const { reserve0, reserve1 } = reserves.get(pool) ?? none
        return reserve0 > 0n && reserve1 > 0n ? [{ address: pool, ...pair, reserve0, reserve1 }] : []
      })
    },
  }
}

/** Each pair once and in address order. Grows with the number of pairs, not with its square. */
function pairsAround(wanted: readonly TokenPair[], baseTokens: readonly Address[]): Pair[] {
  const pairs = new Map<string, Pair>()
  const add = (one: Address, other: Address) => {
    if (one === other) return
    const pair = one < other ? { token0: one, token1: other } : { token0: other, token1: one }
    pairs.set(pairKey(pair), pair)
  }
  for (const [one, other] of wanted) add(one, other)
  for (const token of new Set([...wanted.flat(), ...baseTokens])) {
    for (const base of baseTokens) add(token, base)
  }
  return [...pairs.values()]
}

const pairKey = ({ token0, token1 }: Pair): string => `${token0}${token1}`

/** Remembers where pools are: for ever when there is one, for a minute when there is none. The oldest entry goes first. */
function createPairBook(rpc: Rpc, factory: Address, now: Clock) {
  const book = new Map<string, { pool: Address | undefined; readAt: number }>()

  const isKnown = (pair: Pair) => {
    const entry = book.get(pairKey(pair))
    return entry !== undefined && (entry.pool !== undefined || now() - entry.readAt < absentForMs)
  }

  async function lookUp(pairs: readonly Pair[]): Promise<void> {
    const calls = pairs.map(({ token0, token1 }) => ({
      method: 'eth_call',
      params: [{ to: factory, data: factoryAbi.encodeFunctionData('getPair', [token0, token1]) }, 'latest'],
    }))
    const answers = await available(rpc.batch(calls))
    pairs.forEach((pair, index) => {
      const answer = answers[index]
      book.delete(pairKey(pair))
      book.set(pairKey(pair), { pool: answer && parsePool(answer), readAt: now() })
    })
  }

  return {
    async find(pairs: readonly Pair[]): Promise<Map<Address, Pair>> {
      await lookUp(pairs.filter((pair) => !isKnown(pair)))
      const found = new Map<Address, Pair>()
      for (const pair of pairs) {
        const pool = book.get(pairKey(pair))?.pool
        if (pool) found.set(pool, pair)
      }
      for (const key of book.keys()) {
        if (book.size <= mostPairs) break
        book.delete(key)
      }
      return found
    },
  }
}

const none: Reserves = { reserve0: 0n, reserve1: 0n }

/** A factory without code, or one that reverts, has no pools. */
function parsePool(answer: RpcAnswer): Address | undefined {
  const returned = parseReturn(answer)
  if (!returned || hexSize(returned) < 32) return undefined
  const pool = address(returned.slice(26, 66))
  return pool === zeroAddress ? undefined : pool
}

function parseReserves(answer: RpcAnswer): Reserves {
  const returned = parseReturn(answer)
  if (!returned || hexSize(returned) < 64) return none
  return { reserve0: BigInt(returned.slice(0, 66)), reserve1: BigInt(`0x${returned.slice(66, 130)}`) }
}
