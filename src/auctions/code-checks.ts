import type { Block } from '../chain/chain.ts'
import type { CheckOrder, OrderAnswer, OrderQuestion } from '../chain/order/order-check.ts'
import { createBackOff } from '../concurrency/back-off.ts'
import { Outage, Refusal } from '../domain/errors/error.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import type { Log } from '../domain/log.ts'
import type { Network } from '../domain/network/network.ts'
import { duePreInteractions, filledAmount, type Order } from '../domain/order/order.ts'
import { orderDigest } from '../domain/signing/signing.ts'

/**
 * Asks strangers' code, order by order, what a settlement would meet at a block. Whoever takes long holds up itself: owners are
 * asked side by side, the orders of one in turn, and the time of all is bounded.
 */
export interface CodeChecks {
  /** Answers by order id; an order that is not there was not asked, or did not answer in time. */
  ask(orders: readonly Order[], block: Block): Promise<ReadonlyMap<bigint, OrderAnswer>>
}

export interface CodeCheckOptions {
  check: CheckOrder
  network: Network
  log: Log
  limits: {
    /** Orders of one owner that one auction asks about; of more than that, those that were not asked for longest. */
    perOwner: number
    /** What an auction waits for answers, in milliseconds. */
    waitMs: number
    /** Owners at a time. */
    atOnce: number
  }
}

interface Memory {
  blockHash: Bytes32
  askedAt: number
  answer: OrderAnswer
}

/** Whether its signature or its pre hooks have a say in what the order can be settled for. */
export function needsCodeCheck(order: Order): boolean {
  return order.signingScheme === 'eip1271' || duePreInteractions(order).length > 0
}

export function createCodeChecks({ check, network, log, limits }: CodeCheckOptions): CodeChecks {
  let memory = new Map<bigint, Memory>()
  /** Owners whose last call is still on its way, maybe since an earlier auction. */
  const pending = new Set<string>()
  const slowOwners = createBackOff<true>(64)
  const invalidOrders = createBackOff<true>(8)

  async function askOwner(orders: readonly Order[], block: Block, isLate: () => boolean): Promise<void> {
    for (const order of orders) {
      if (isLate()) return
      const answer = await check(toQuestion(order, network))
      memory.set(order.id, { blockHash: block.hash, askedAt: block.number, answer })
      if (answer.signature === 'invalid') invalidOrders.fail(order.uid, block.number, true)
      else invalidOrders.forgive(order.uid)
      if (answer.exhausted) return slowOwners.fail(order.owner, block.number, true)
      slowOwners.forgive(order.owner)
    }
  }

  async function askAll(lanes: Order[][], block: Block, isLate: () => boolean): Promise<void> {
    const worker = async () => {
      for (let lane = lanes.shift(); lane && !isLate(); lane = lanes.shift()) {
        const owner = lane[0]?.owner ?? ''
        pending.add(owner)
        try {
          await askOwner(lane, block, isLate)
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

  /** One lane an owner; the ones that were asked least recently first. */
  function toLanes(orders: readonly Order[], block: Block): Order[][] {
    const askedAt = ({ id }: Order) => memory.get(id)?.askedAt ?? -1
    const lanes = new Map<string, Order[]>()
    for (const order of orders.toSorted((a, b) => askedAt(a) - askedAt(b))) {
      const isKnown = memory.get(order.id)?.blockHash === block.hash
      const waits =
        invalidOrders.waiting(order.uid, block.number) ?? slowOwners.waiting(order.owner, block.number)
      if (isKnown || waits || pending.has(order.owner)) continue
      const lane = lanes.get(order.owner) ?? []
      if (lane.length < limits.perOwner) lanes.set(order.owner, [...lane, order])
    }
    return [...lanes.values()]
  }

  return {
    async ask(orders, block) {
      memory = new Map(orders.flatMap(({ id }) => toEntries(id, memory.get(id))))
      let late = false
      const asked = askAll(toLanes(orders, block), block, () => late)
      await Promise.race([asked, after(limits.waitMs)])
      late = true
      asked.catch((fault) => log.error('checking orders failed', { fault: String(fault) }))
      const answers = orders.flatMap(({ id }) => {
        const known = memory.get(id)
        // A yes is good for its block alone; a no stands until the order is asked again.
        return known && (known.blockHash === block.hash || isNo(known.answer))
          ? [[id, known.answer] as const]
          : []
      })
      return new Map(answers)
    },
  }
}

function toEntries(id: bigint, known: Memory | undefined): [bigint, Memory][] {
  return known ? [[id, known]] : []
}

function isNo({ signature, exhausted }: OrderAnswer): boolean {
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
    amount: soldByRest(order),
    preInteractions: duePreInteractions(order),
    ...(order.signingScheme === 'eip1271' && {
      signature: { digest: orderDigest(network, order), bytes: signature },
    }),
  }
}

/** Sell atoms of all that is left to fill. */
export function soldByRest(order: Order): bigint {
  const filled = filledAmount(order)
  return order.kind === 'sell'
    ? order.sellAmount - filled
    : order.sellAmount - (order.sellAmount * filled) / order.buyAmount
}
