import type { Block, Holding, Spendable } from '../../chain/chain.ts'
import type { HoldingChanges } from '../../chain/logs/holding-changes.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Order } from '../../domain/order/order.ts'

/**
 * Spendable funds of accounts, kept from auction to auction: read again when a log of the token names the
 * account, and in turns, since some tokens change balances without a log.
 */
export interface Holdings {
  /**
   * Balance and allowance by `holdingKey`. A holding that is missing, or changed, could not be read yet.
   * @param orders the most likely first: their holdings are read first
   */
  read(orders: readonly Order[], head: Block): Promise<ReadonlyMap<string, Spendable>>
}

interface HoldingsOptions {
  spendable(holdings: readonly Holding[]): Promise<Spendable[]>
  changes: HoldingChanges
  limits: {
    /** Holdings that one auction reads. */
    reads: number
    /** Holdings that are read again in turns, of these. */
    turns: number
  }
}

interface Held {
  funds: Spendable
  /** A block up to which the funds are known. */
  block: number
  /** A log named the holding since. */
  stale: boolean
}

export function holdingKey({ owner, sellToken }: Pick<Order, 'owner' | 'sellToken'>): string {
  return `${owner}:${sellToken}`
}

export function createHoldings({ spendable, changes, limits }: HoldingsOptions): Holdings {
  let held = new Map<string, Held>()

  async function follow(tokens: readonly Address[], head: Block): Promise<void> {
    const changed = await changes.upTo(head, tokens)
    for (const [key, holding] of held) if (changed === 'all' || changed.has(key)) holding.stale = true
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
