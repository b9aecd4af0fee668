import { RpcError } from '../../chain/rpc/rpc.ts'
import { Outage } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { Clock, Log } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import type { OrderUid } from '../../domain/order/order.ts'
import { blockHash } from '../../storage/chain/indexed-logs.ts'
import { isTradeStored, ownersOfFilled, unseenSettlements } from '../../storage/chain/missed.ts'
import type { Database } from '../../storage/database/database.ts'
import type { ChainReads, Checkpoint } from '../block-range.ts'

interface MissedOptions {
  chainId: number
  network: Pick<Network, 'finalityBlocks'>
  db: Database
  now: Clock
  log: Log
  chain: Pick<ChainReads, 'gasOf' | 'tradesOf'>
  /** No settlements are sent here, and nothing waits for a look at each block. */
  isFollowing?: boolean
}

/** The pause between two looks on a network that follows an order book. */
const followedMs = 10_000
/** Times that a block is read again because of the same proof. */
const maxReads = 3
/** Blocks from one read to the next. */
const pauseBlocks = 4
/** Proofs of which the number of reads is kept. */
const maxProofs = 1_000

/**
 * Finds blocks whose logs the node left out, by what the service knows otherwise: the receipt of a settlement
 * that it sent, or an answer of the settlement contract that an order is filled.
 */
export function createMissedBlocks(options: MissedOptions) {
  const { chainId, network, db, now, log, chain, isFollowing } = options
  let nextAt = Number.NEGATIVE_INFINITY
  const reads = new Map<string, { count: number; next: number }>()

  /** Returns false for a proof that has been used as often as it may, or lately. */
  function mayRead(proof: string, head: number): boolean {
    const { count, next } = reads.get(proof) ?? { count: 0, next: 0 }
    return count < maxReads && head >= next
  }

  /** Counts a proof that the node has answered: an outage uses none up. */
  function use(proof: string, head: number): void {
    const count = reads.get(proof)?.count ?? 0
    if (reads.size >= maxProofs) reads.clear()
    reads.set(proof, { count: count + 1, next: head + pauseBlocks * 2 ** count })
  }

  async function ofOwnSettlements({ number }: Checkpoint, from: number): Promise<number[]> {
    if (isFollowing) return []
    const hashes = await unseenSettlements(db, chainId, from)
    if (hashes.length === 0) return []
    const receipts = await chain.gasOf(hashes)
    const found = await Promise.all(
      receipts.map(async (mined, index) => {
        if (!mined || mined.isReverted || mined.block > number || mined.block <= from) return []
        if ((await blockHash(db, chainId, mined.block)) !== mined.blockHash) return []
        const hash = hashes[index] as Bytes32
        if (!mayRead(hash, number)) return []
        use(hash, number)
        return [mined.block]
      }),
    )
    return found.flat()
  }

  async function ofFilledOrders({ number }: Checkpoint, from: number): Promise<number[]> {
    if (!chain.tradesOf) return []
    const used = [...reads.keys()].filter((proof) => !mayRead(proof, number))
    const orders = await ownersOfFilled(db, chainId, used as OrderUid[])
    if (orders.length === 0) return []
    const uids = new Set(orders.map(({ uid }) => uid))
    const owners: Address[] = [...new Set(orders.map(({ owner }) => owner))]
    const trades = await chain.tradesOf(owners, { from: from + 1, to: number })
    const lacking = await Promise.all(
      trades.map(async (trade) => {
        if (!uids.has(trade.orderUid)) return []
        return (await isTradeStored(db, chainId, trade)) ? [] : [trade.blockNumber]
      }),
    )
    for (const { uid } of orders) use(uid, number)
    return lacking.flat()
  }

  return {
    /**
     * Returns the lowest block that must be read again; undefined for none. Final blocks are never read
     * again.
     */
    async find(checkpoint: Checkpoint): Promise<number | undefined> {
      if (now() < nextAt) return undefined
      if (isFollowing) nextAt = now() + followedMs
      const from = checkpoint.number - network.finalityBlocks
      try {
        const blocks = [
          ...(await ofOwnSettlements(checkpoint, from)),
          ...(await ofFilledOrders(checkpoint, from)),
        ]
        if (blocks.length === 0) return undefined
        const block = Math.min(...blocks)
        log.warn('the node left logs of a block out, which is read again', { block })
        return block
      } catch (fault) {
        if (!(fault instanceof Outage || fault instanceof RpcError)) throw fault
        log.warn('missed logs cannot be looked for at the moment', { fault: fault.message })
        return undefined
      }
    },
  }
}
