import type { Block, Holding, Spendable } from '../../chain/chain.ts'
import { Outage } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Log } from '../../domain/log.ts'
import type { Order } from '../../domain/order/order.ts'

/**
 * What accounts can spend, kept from auction to auction: read again when a log of the token names the account, and in turns, since some
 * tokens change balances without a log.
 */
export interface Holdings {
  /**
   * Balance and allowance by `holdingKey`. One that is missing, or changed, could not be read yet.
   * @param orders the most likely first: their holdings are read first
   */
  read(orders: readonly Order[], head: Block): Promise<ReadonlyMap<string, Spendable>>
}

export interface HoldingsOptions {
  spendable(holdings: readonly Holding[]): Promise<Spendable[]>
  /** Keys of holdings that logs of these tokens name in a block range, both ends included. @throws Outage */
  changed(tokens: readonly Address[], from: number, to: number): Promise<ReadonlySet<string>>
  log: Log
  limits: {
    /** Holdings that one auction reads. */
    reads: number
    /** Holdings that are read again in turns, of these. */
    turns: number
  }
}

interface Held {
  funds: Spendable
  /** A block up to which it is known. */
  block: number
  /** A log named it since. */
  stale: boolean
}

/** More blocks than this at once, and every holding counts as changed. */
const maxBlocks = 100

export function holdingKey({ owner, sellToken }: Pick<Order, 'owner' | 'sellToken'>): string {
  return `${owner}:${sellToken}`
}

export function createHoldings({ spendable, changed, log, limits }: HoldingsOptions): Holdings {
  let held = new Map<string, Held>()
  let followedTo: Block | undefined

  async function follow(tokens: readonly Address[], head: Block): Promise<void> {
    const last = followedTo
    followedTo = head
    if (!last || last.hash === head.hash) return
    const isNext = head.number > last.number && head.number - last.number <= maxBlocks
    // A block that does not follow on the last one may undo transfers.
    const isReorganised = head.number === last.number + 1 && head.parentHash !== last.hash
    if (!isNext || isReorganised) return markStale(() => true)
    try {
      const keys = await changed(tokens, last.number + 1, head.number)
      markStale((key) => keys.has(key))
    } catch (fault) {
      if (!(fault instanceof Outage)) throw fault
      log.warn('transfers cannot be followed: every balance is read again', { fault: fault.message })
      markStale(() => true)
    }
  }

  function markStale(isChanged: (key: string) => boolean): void {
    for (const [key, holding] of held) if (isChanged(key)) holding.stale = true
  }

  /** Unknown and stale ones in the order of likelihood, then those that were read longest ago. */
  function toRead(wanted: ReadonlyMap<string, Order>, head: Block): Order[] {
    const due: Order[] = []
    const known: { order: Order; block: number }[] = []
    for (const [key, order] of wanted) {
      const holding = held.get(key)
      if (!holding || holding.stale) due.push(order)
      else if (holding.block < head.number) known.push({ order, block: holding.block })
    }
    const turns = known.sort((a, b) => a.block - b.block).slice(0, limits.turns)
    return [...due.slice(0, limits.reads - turns.length), ...turns.map(({ order }) => order)]
  }

  return {
    async read(orders, head) {
      const wanted = new Map<string, Order>()
      for (const order of orders) {
        const key = holdingKey(order)
        if (!wanted.has(key)) wanted.set(key, order)
      }
      held = new Map([...held].filter(([key]) => wanted.has(key)))
      await follow([...new Set([...wanted.values()].map(({ sellToken }) => sellToken))], head)
      const reading = toRead(wanted, head)
      const funds = await spendable(reading.map(({ owner, sellToken }) => ({ owner, token: sellToken })))
      for (const [index, order] of reading.entries()) {
        held.set(holdingKey(order), {
          funds: funds[index] ?? { balance: 0n, allowance: 0n },
          block: head.number,
          stale: false,
        })
      }
      return new Map([...held].flatMap(([key, { funds, stale }]) => (stale ? [] : [[key, funds] as const])))
    },
  }
}
