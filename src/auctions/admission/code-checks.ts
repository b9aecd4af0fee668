import type { Block } from '../../chain/chain.ts'
import type { CheckOrder, OrderAnswer, OrderQuestion } from '../../chain/order/order-check.ts'
import { createBackOff } from '../../concurrency/back-off.ts'
import { Outage, Refusal } from '../../domain/errors/error.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { Log } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import { accountOf, duePreInteractions, filledAmount, type Order } from '../../domain/order/order.ts'
import { orderDigest } from '../../domain/signing/signing.ts'

/**
 * Simulates at a block the orders whose outcome third-party code decides. Owners are checked in parallel and
 * the orders of one owner one by one, so a slow contract delays only its own owner. The total time is
 * limited.
 */
export interface CodeChecks {
  /**
   * Answers by order id, the last ones where a block has too many orders; an order that is missing was not
   * checked, or not in time.
   */
  ask(orders: readonly Order[], head: Block): Promise<ReadonlyMap<bigint, OrderAnswer>>
}

interface CodeCheckOptions {
  check: CheckOrder
  network: Network
  log: Log
  limits: {
    /** Orders that one auction checks. */
    perBlock: number
    /** Orders of one owner that one auction checks; of more than that, the least recently checked. */
    perOwner: number
    /** Milliseconds that an auction waits for answers. */
    waitMs: number
    /** Owners checked in parallel. */
    atOnce: number
  }
}

interface CacheEntry {
  blockHash: Bytes32
  /** Block number. */
  checkedAt: number
  answer: OrderAnswer
}

/** Returns true if the order's own code decides about its settlement: a contract signature or pre-hooks. */
export function needsCodeCheck(order: Order): boolean {
  return order.signingScheme === 'eip1271' || duePreInteractions(order).length > 0
}

export function createCodeChecks({ check, network, log, limits }: CodeCheckOptions): CodeChecks {
  let cache = new Map<bigint, CacheEntry>()
  /** Owners whose last call is still running, maybe since an earlier auction. */
  const pending = new Set<string>()
  const slowOwners = createBackOff<true>(64)
  const invalidOrders = createBackOff<true>(8)

  async function checkOwner(orders: readonly Order[], head: Block, isLate: () => boolean): Promise<void> {
    for (const order of orders) {
      if (isLate()) return
      const answer = await check(toQuestion(order, network))
      cache.set(order.id, { blockHash: head.hash, checkedAt: head.number, answer })
      if (answer.signature === 'invalid') invalidOrders.fail(order.uid, head.number, true)
      else invalidOrders.forgive(order.uid)
      if (answer.exhausted) return slowOwners.fail(accountOf(order), head.number, true)
      slowOwners.forgive(accountOf(order))
    }
  }

  async function checkAll(lanes: Order[][], head: Block, isLate: () => boolean): Promise<void> {
    const worker = async () => {
      for (let lane = lanes.shift(); lane && !isLate(); lane = lanes.shift()) {
        const owner = lane[0] ? accountOf(lane[0]) : ''
        pending.add(owner)
        try {
          await checkOwner(lane, head, isLate)
        } catch (fault) {
          if (!(fault instanceof Outage || fault instanceof Refusal)) throw fault
          log.warn('an order was not checked', { network: network.name, owner, fault: fault.message })
        } finally {
          pending.delete(owner)
        }
      }
    }
    await Promise.all(Array.from({ length: limits.atOnce }, worker))
  }

  /** One lane for each owner; the least recently checked orders first. */
  function toLanes(orders: readonly Order[], head: Block): Order[][] {
    const checkedAt = ({ id }: Order) => cache.get(id)?.checkedAt ?? -1
    const lanes = new Map<string, Order[]>()
    let count = 0
    for (const order of orders.toSorted((a, b) => checkedAt(a) - checkedAt(b))) {
      const isCached = cache.get(order.id)?.blockHash === head.hash
      const isBackedOff =
        invalidOrders.waiting(order.uid, head.number) ?? slowOwners.waiting(accountOf(order), head.number)
      if (isCached || isBackedOff || pending.has(accountOf(order))) continue
      const lane = lanes.get(accountOf(order)) ?? []
      if (lane.length === limits.perOwner) continue
      lanes.set(accountOf(order), [...lane, order])
      if (++count === limits.perBlock) break
    }
    return [...lanes.values()]
  }

  return {
    async ask(orders, head) {
      cache = new Map(orders.flatMap(({ id }) => toEntries(id, cache.get(id))))
      let late = false
      const checks = checkAll(toLanes(orders, head), head, () => late)
      await Promise.race([checks, after(limits.waitMs)])
      late = true
      checks.catch((fault) => log.error('checking orders failed', { fault: String(fault) }))
      const kept = passBlocks(orders.length, limits.perBlock)
      const answers = orders.flatMap(({ id }) => {
        const entry = cache.get(id)
        // A pass is valid for some blocks; a failure until the order is checked again.
        return entry && (isRecent(entry, head, kept) || isFailure(entry.answer))
          ? [[id, entry.answer] as const]
          : []
      })
      return new Map(answers)
    },
  }
}

function toEntries(id: bigint, entry: CacheEntry | undefined): [bigint, CacheEntry][] {
  return entry ? [[id, entry]] : []
}

/**
 * Blocks for which a pass is kept: with many orders, for as long as two rounds take. What changes meanwhile
 * shows when the settlement is simulated.
 */
function passBlocks(orders: number, perBlock: number): number {
  return Math.min(Math.max(10, Math.ceil((2 * orders) / perBlock)), 100)
}

function isRecent({ blockHash, checkedAt }: CacheEntry, head: Block, passBlocks: number): boolean {
  return blockHash === head.hash || (checkedAt < head.number && head.number - checkedAt <= passBlocks)
}

function isFailure({ signature, exhausted }: OrderAnswer): boolean {
  return signature === 'invalid' || exhausted
}

function after(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref())
}

function toQuestion(order: Order, network: Network): OrderQuestion {
  const { owner, sellToken, signature } = order
  return {
    owner,
    sellToken,
    amount: remainingSellAmount(order),
    preInteractions: duePreInteractions(order),
    ...(order.signingScheme === 'eip1271' && {
      signature: { digest: orderDigest(network, order), bytes: signature },
    }),
  }
}

/** Sell atoms that are still to be filled. */
export function remainingSellAmount(order: Order): bigint {
  const filled = filledAmount(order)
  return order.kind === 'sell'
    ? order.sellAmount - filled
    : order.sellAmount - (order.sellAmount * filled) / order.buyAmount
}
