import type { Head } from '../../chain/transaction/fees.ts'
import type { Clock } from '../../domain/log.ts'
import type { View } from './view.ts'

/** The view of the newest block, replaced atomically. */
export interface ChainHead {
  /** Returns the view from memory while the last check is fresh, otherwise like `check`. @throws Outage */
  view(): Promise<View>
  /**
   * Reads the head and returns its view. Concurrent callers share the read.
   * @param unreadable a view whose block could not be read: a lower block may replace it at once
   * @throws Outage
   */
  check(unreadable?: View): Promise<View>
  /** Reads the head, and prepares the view of a new block before serving it. @throws Outage */
  advance(prepare: (view: View) => Promise<unknown>): Promise<void>
  /** The served view, and the view in preparation. */
  views(): View[]
}

export interface ChainHeadOptions {
  readHead: () => Promise<Head>
  createView: (head: Head) => View
  now: Clock
  /**
   * The age from which a view is checked before it is served. Until then a lower block counts as that of a
   * lagging node.
   */
  staleMs: number
}

export function createChainHead({ readHead, createView, now, staleMs }: ChainHeadOptions): ChainHead {
  let latest: View | undefined
  let served: View | undefined
  let prepared: View | undefined
  let unreadableView: View | undefined
  let pendingHead: Promise<View> | undefined

  async function loadHead(): Promise<View> {
    const head = await readHead()
    if (latest && head.number < latest.block && latest !== unreadableView && isFresh(latest)) return latest
    unreadableView = undefined
    if (latest?.pools.blockHash !== head.hash) latest = createView(head)
    latest.checkedAt = now()
    return latest
  }

  function readSharedHead(): Promise<View> {
    pendingHead ??= loadHead().finally(() => {
      pendingHead = undefined
    })
    return pendingHead
  }

  /**
   * Reports whether a view is fresh. After the clock was set back a view is stale; otherwise it could stay
   * fresh for a long time.
   */
  function isFresh({ checkedAt }: View): boolean {
    const age = now() - checkedAt
    return age >= 0 && age < staleMs
  }

  async function check(unreadable?: View): Promise<View> {
    unreadableView = unreadable ?? unreadableView
    served = await readSharedHead()
    return served
  }

  return {
    view: async () => (served && isFresh(served) ? served : check()),
    check,
    async advance(prepare) {
      const view = await readSharedHead()
      if (view === prepared) return
      await prepare(view)
      // A concurrent `check` may have found a newer block meanwhile.
      if (view === latest) served = prepared = view
    },
    views: () => [latest, served].filter((view) => view !== undefined),
  }
}
