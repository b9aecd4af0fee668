import { createLruCache } from '../domain/derived.ts'
import { Outage } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import { type Bytes32, type Hex, toHex } from '../domain/evm/hex.ts'
import type { Clock } from '../domain/log.ts'
import type { ChainIdentity, Network } from '../domain/network/network.ts'
import { type Balance, type Holding, type ReadBalance, readBalances } from './balance-reader.ts'
import { changedHoldings } from './logs/transfer-logs.ts'
import type { Rpc } from './rpc/rpc.ts'
import {
  available,
  parseHash,
  parseHex,
  parseIndex,
  parseObject,
  parseResponse,
  toQuantity,
} from './rpc/wire.ts'
import { balanceChanges } from './settlement/balance-changes.ts'
import { effectiveGasPrice, readFees } from './transaction/fees.ts'

export interface Block {
  number: number
  hash: Bytes32
  parentHash: Bytes32
  /** The time in Unix seconds. */
  timestamp: number
  /** The bloom filter of its logs; undefined if the node does not report it. */
  logsBloom?: Hex | undefined
}

export type { Balance, Holding, ReadBalance }

/** The funds of an account, in atoms. A settlement can take the smaller of the two. */
export interface Spendable {
  balance: bigint
  /** The allowance for the network's vault relayer. */
  allowance: bigint
}

/**
 * Reads at the newest block. Every read throws an Outage if the node is unreachable, refuses, or sends a
 * malformed response.
 */
export interface Chain {
  identity(): Promise<ChainIdentity>
  head(): Promise<Block>
  /** Returns undefined if the chain does not have the block (yet, or after a reorganisation). */
  block(number: number): Promise<Block | undefined>
  /** Returns the times of blocks by their numbers; those that the chain does not have are left out. */
  times(numbers: readonly number[]): Promise<ReadonlyMap<number, Date>>
  /** Returns the price in wei of one unit of gas in a transaction sent now. */
  gasPrice(): Promise<bigint>
  /** Returns funds in the order of `holdings`; zeros for a token without code, or one that reverts. */
  spendable(holdings: readonly Holding[]): Promise<Spendable[]>
  /**
   * Returns balances at one block, by default the newest, with the allowance for the vault relayer, like
   * `readBalances`.
   */
  balances(holdings: readonly Holding[], blockHash?: Bytes32): Promise<(ReadBalance | Outage)[]>
  /**
   * Returns `account:token` for each account that a log of these tokens names in a block range, both ends
   * included.
   */
  changedHoldings(
    tokens: readonly Address[],
    from: number,
    to: number,
    endHash?: Bytes32,
  ): Promise<Set<string>>
  /** Returns the changes like `balanceChanges`. */
  settledChanges(txHash: Bytes32): Promise<ReadonlyMap<Address, bigint> | undefined>
  /** Returns the code; `0x` for an account without code. */
  code(address: Address): Promise<Hex>
}

interface ChainOptions {
  rpc: Rpc
  /** The client for `balances`, which run untrusted code; `rpc` by default. */
  tokenRpc?: Rpc
  network: Network
}

export function createChain({ rpc, tokenRpc = rpc, network }: ChainOptions): Chain {
  const readBlock = async (tag: string) => {
    const block = await available(rpc.call('eth_getBlockByNumber', [tag, false]))
    return block === null ? undefined : parseBlock(block)
  }
  const spender = network.vaultRelayer
  const requireBlock = async (tag: string) => (await readBlock(tag)) ?? parseBlock(undefined)

  return {
    async identity() {
      const [chainId, genesis] = await Promise.all([available(rpc.call('eth_chainId')), requireBlock('0x0')])
      return { chainId: parseIndex(chainId), genesisHash: genesis.hash }
    },
    head: () => requireBlock('latest'),
    block: (number) => readBlock(toQuantity(number)),
    async times(numbers) {
      const distinct = [...new Set(numbers)]
      const calls = distinct.map((number) => ({
        method: 'eth_getBlockByNumber',
        params: [toQuantity(number), false],
      }))
      const blocks = calls.length > 0 ? await available(rpc.batch(calls)) : []
      return new Map(
        blocks.map(parseResponse).flatMap((block) => {
          if (block === null) return []
          const { number, timestamp } = parseBlock(block)
          return [[number, new Date(timestamp * 1_000)]]
        }),
      )
    },
    gasPrice: async () => effectiveGasPrice(await readFees(rpc)),
    async spendable(holdings) {
      const balances = await readBalances(rpc, holdings, { spender })
      return balances.map((balance) => {
        if (balance instanceof Outage) throw balance
        return balance === 'absent'
          ? { balance: 0n, allowance: 0n }
          : { ...balance, allowance: balance.allowance ?? 0n }
      })
    },
    balances: (holdings, blockHash) =>
      readBalances(tokenRpc, holdings, { spender, ...(blockHash && { blockHash }) }),
    changedHoldings: (...range) => changedHoldings(rpc, ...range),
    settledChanges: (txHash) => balanceChanges(rpc, network, txHash),
    code: async (address) => parseHex(await available(rpc.call('eth_getCode', [address, 'latest']))),
  }
}

function parseBlock(value: unknown): Block {
  const { number, hash, parentHash, timestamp, logsBloom } = parseObject(value)
  return {
    number: parseIndex(number),
    hash: parseHash(hash),
    parentHash: parseHash(parentHash),
    timestamp: parseIndex(timestamp),
    ...(typeof logsBloom === 'string' && { logsBloom: toHex(logsBloom) }),
  }
}

/** Reads balance and allowance of an account. @throws Outage */
type ReadSpendable = (holding: Holding) => Promise<Spendable>

/** Reads balance and allowance like `ReadSpendable`, but returns a cached value if it covers `enough`. */
type ReadCachedSpendable = (holding: Holding, enough: bigint) => Promise<Spendable>

/**
 * The time for which a value is cached. It is shorter than the block time of most networks, so that a new
 * block is seen.
 */
const cachedMs = 250
const maxCached = 10_000

/**
 * Caches values briefly, so that many orders of one trader need one read. A value below `enough` is always
 * read again before an order is refused, so that an approval that was just mined counts.
 */
export function cacheSpendable(read: ReadSpendable, now: Clock): ReadCachedSpendable {
  const remembered = createLruCache<string, { until: number; answer: Promise<Spendable> }>({
    max: maxCached,
  })

  function readAnew(key: string, holding: Holding): Promise<Spendable> {
    const answer = read(holding)
    remembered.set(key, { until: now() + cachedMs, answer })
    answer.catch(() => remembered.delete(key))
    return answer
  }

  return async (holding, enough) => {
    const key = `${holding.owner}:${holding.token}`
    const known = remembered.get(key)
    if (!known || known.until <= now()) return readAnew(key, holding)
    const { balance, allowance } = await known.answer
    return balance >= enough && allowance >= enough ? { balance, allowance } : readAnew(key, holding)
  }
}
