import type { Head } from '../../chain/transaction/fees.ts'
import type { Clock } from '../../domain/log.ts'
import type { View } from './view.ts'

/** The view of the newest block, swapped in one step. */
export interface ChainHead {
  /** From memory while the node was asked a moment ago, else as `check`. @throws Outage */
  view(): Promise<View>
  /**
   * Asks for the head, once for all who ask meanwhile, and serves what it finds.
   * @param unread a view whose block could not be read: a lower one may take its place at once
   * @throws Outage
   */
  check(unread?: View): Promise<View>
  /** The same, but a block that is new is prepared before it is served. @throws Outage */
  advance(prepare: (view: View) => Promise<unknown>): Promise<void>
  /** Views that are at hand, whether served or being prepared. */
  atHand(): View[]
}

export interface ChainHeadOptions {
  readHead: () => Promise<Head>
  createView: (head: Head) => View
  now: Clock
  /**
   * Older knowledge is not served. For so long a lower block is taken for the news of a node that lags
   * behind.
   */
  staleMs: number
}

export function createChainHead({ readHead, createView, now, staleMs }: ChainHeadOptions): ChainHead {
  let latest: View | undefined
  let served: View | undefined
  let prepared: View | undefined
  let doubted: View | undefined
  let asking: Promise<View> | undefined

  async function askForHead(): Promise<View> {
    const head = await readHead()
    if (latest && head.number < latest.block && latest !== doubted && isFresh(latest)) return latest
    doubted = undefined
    if (latest?.pools.blockHash !== head.hash) latest = createView(head)
    latest.checkedAt = now()
    return latest
  }

  function ask(): Promise<View> {
    asking ??= askForHead().finally(() => {
      asking = undefined
    })
    return asking
  }

  /** A clock that was set back makes everything stale, and nothing fresh for ever. */
  function isFresh({ checkedAt }: View): boolean {
    const age = now() - checkedAt
    return age >= 0 && age < staleMs
  }

  async function check(unread?: View): Promise<View> {
    doubted = unread ?? doubted
    served = await ask()
    return served
  }

  return {
    view: async () => (served && isFresh(served) ? served : check()),
    check,
    async advance(prepare) {
      const view = await ask()
      if (view === prepared) return
      await prepare(view)
      // Whoever could not wait may have found a newer one meanwhile.
      if (view === latest) served = prepared = view
    },
    atHand: () => [latest, served].filter((view) => view !== undefined),
  }
}
