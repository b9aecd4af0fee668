import type { Holding, ReadBalance } from '../chain/balance-reader.ts'
import type { Block, Chain } from '../chain/chain.ts'
import type { Heads } from '../chain/heads.ts'
import { createHoldingChanges } from '../chain/logs/holding-changes.ts'
import { Outage } from '../domain/errors/error.ts'
import { type Address, nativeMarker } from '../domain/evm/address.ts'
import type { Clock, Log } from '../domain/log.ts'
import { createWatch, type Subscriber } from './watch/watch.ts'
import type { Entry, Update } from './watch/watcher.ts'

/** A balance as a client gets it. `absent`: there is no such token. `unavailable`: the node cannot read this one now. */
export type WatchedBalance = ReadBalance | 'unavailable'

export type BalancesUpdate = Update<Holding, WatchedBalance>

/**
 * Balances that clients watch. A new block costs one read of logs for all tokens, and one request for all balances that the logs name,
 * with those of the chain's own coin; the number of clients does not matter. While there is no client, nothing is asked.
 */
export interface BalanceWatch {
  /**
   * Balances of one account with the allowances for the vault relayer: all of them first, then what has changed.
   * @throws Refusal RateLimited, Unavailable when too many balances are watched
   */
  subscribe(
    account: Address,
    tokens: readonly Address[],
    subscriber: Subscriber,
  ): AsyncGenerator<BalancesUpdate, void>
}

export interface BalanceWatchOptions {
  chain: Pick<Chain, 'balances' | 'block' | 'changedHoldings'>
  heads: Heads
  /** Balances watched in this process. */
  most: number
  now: Clock
  log: Log
}

/** Some tokens change balances without a log: every balance is read again after this time. */
const oldMs = 60_000
/** Balances that are read again for their age, in one block. */
const maxOld = 200

export function createBalanceWatch({ chain, heads, most, now, log }: BalanceWatchOptions): BalanceWatch {
  const changes = createHoldingChanges({ chain, log })
  const watch = createWatch<Holding, WatchedBalance>({
    what: 'balances',
    most,
    now,
    keyOf: ({ owner, token }) => `${owner}:${token}`,
    isEqual,
    start: () => heads.listen({ onHead, onOutage }),
    onSubscribed: () => heads.wake(),
  })
  const { entries, due } = watch
  let lastHash: string | undefined

  function onOutage(): void {
    changes.forget()
    lastHash = undefined
    watch.away()
  }

  async function onHead(head: Block): Promise<void> {
    // One that could not be read waits for the next block.
    const hasUnread = () => [...due].some(({ value }) => value === undefined)
    if (head.hash !== lastHash || hasUnread()) await read(head)
    watch.settle(head.number)
  }

  async function read(head: Block): Promise<void> {
    await markChanged(head)
    const reading = [...due]
    const answers = await chain.balances(
      reading.map(({ subject }) => subject),
      head.hash,
    )
    lastHash = head.hash
    for (const [index, entry] of reading.entries()) {
      const answer = answers[index]
      const isRead = answer !== undefined && !(answer instanceof Outage)
      watch.set(entry, isRead ? answer : 'unavailable', isRead)
    }
  }

  /** Adds to those that are due what this block may have changed. */
  async function markChanged(head: Block): Promise<void> {
    const all = [...entries.values()]
    const tokens = new Set(all.map(({ subject }) => subject.token))
    tokens.delete(nativeMarker)
    const changed = await changes.upTo(head, [...tokens])
    if (head.hash === lastHash) return
    for (const entry of all) if (mayHaveChanged(entry, changed)) due.add(entry)
    let old = 0
    for (const entry of all) {
      if (entry.readAt > now() - oldMs || old++ >= maxOld) break
      due.add(entry)
    }
    // A client may have left meanwhile.
    for (const entry of due) if (entry.watchers.size === 0) due.delete(entry)
  }

  return {
    subscribe: (owner, tokens, subscriber) =>
      watch.subscribe(
        tokens.map((token) => ({ owner, token })),
        subscriber,
      ),
  }
}

function mayHaveChanged(
  { key, subject }: Entry<Holding, WatchedBalance>,
  changed: ReadonlySet<string> | 'all',
): boolean {
  return changed === 'all' || subject.token === nativeMarker || changed.has(key)
}

function isEqual(one: WatchedBalance, other: WatchedBalance): boolean {
  if (typeof one === 'string' || typeof other === 'string') return one === other
  return one.balance === other.balance && one.allowance === other.allowance
}
