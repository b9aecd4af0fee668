import { useCallback, useLayoutEffect, useState } from 'preact/hooks'
import { messageOf, queryService, Refused } from '../ask.ts'
import type { FollowResult } from '../documents.generated.ts'
import { subscribe } from '../subscription.ts'
import { firstReading } from '../view/first-render.ts'
import { PageLink, ProgrammaticLink } from '../view/links.tsx'
import { Time } from '../view/times.tsx'
import { documents } from './documents.ts'

type Notification = FollowResult['notifications']['node']

interface Feed {
  /** Newest first; undefined until they are read. */
  notifications?: Notification[]
  /** Cursor of older ones; null if there are none. */
  before: string | null
  isLive: boolean
  /** The newest that came while the page was open. */
  latest?: Notification
  fault?: string | undefined
}

/** Longest list: more would make the page slow; older ones can be shown from its end. */
const maxShown = 500

/** Entries without duplicates, newest first. A correction replaces its notification. */
function merged(newer: readonly Notification[], older: readonly Notification[]): Notification[] {
  const known = new Map(newer.map((entry) => [entry.notificationId, entry]))
  const kept = older.map((entry) => {
    const correction = known.get(entry.notificationId)
    known.delete(entry.notificationId)
    return correction ?? entry
  })
  return [...known.values(), ...kept]
}

function useFeed(account: string) {
  const [feed, setFeed] = useState<Feed>({ before: null, isLive: false })
  const [round, setRound] = useState(0)

  useLayoutEffect(() => {
    let stop: (() => void) | undefined
    let isGone = false
    async function start(): Promise<void> {
      const { notifications: page } = await queryService(documents.feed, { account })
      if (isGone) return
      const { pageInfo, nodes } = page
      const before = pageInfo.hasPreviousPage ? pageInfo.startCursor : null
      setFeed((known) => ({ ...known, notifications: nodes.toReversed(), before, fault: undefined }))
      const variables = { account, after: page.cursor }
      stop = subscribe(documents.follow, variables, {
        onResult: ({ notifications: { node: latest } }) =>
          setFeed(({ notifications = [], ...known }) => ({
            ...known,
            latest,
            notifications: merged([latest], notifications).slice(0, maxShown),
          })),
        onLive: (isLive) => setFeed((known) => ({ ...known, isLive })),
        onGap: () => setRound((count) => count + 1),
        onEnd: (fault) => setFeed((known) => ({ ...known, fault })),
      })
    }
    let timer: ReturnType<typeof setTimeout> | undefined
    const started = start().catch((fault: unknown) => {
      if (isGone) return
      setFeed((known) => ({ ...known, fault: messageOf(fault) }))
      // Read again when the service is back; a refusal is final.
      if (fault instanceof Refused && fault.code === 'Unavailable')
        timer = setTimeout(() => setRound((count) => count + 1), 5_000)
    })
    void firstReading(started)
    return () => {
      isGone = true
      clearTimeout(timer)
      stop?.()
    }
  }, [account, round])

  const showOlder = useCallback(async () => {
    const { notifications: page } = await queryService(documents.feed, { account, before: feed.before })
    const { pageInfo, nodes } = page
    setFeed(({ notifications = [], ...known }) => ({
      ...known,
      notifications: merged(notifications, nodes.toReversed()),
      before: pageInfo.hasPreviousPage ? pageInfo.startCursor : null,
    }))
  }, [account, feed.before])
  return { feed, showOlder }
}

/** Splits a message at its colon: “Order filled: 0.5 WETH for 1,493.97 USDC” begins with the event. */
function partsOf(message: string): [what: string, more: string] {
  const colon = message.indexOf(': ')
  return colon < 0 ? [message, ''] : [message.slice(0, colon), message.slice(colon + 2)]
}

function Entry({ notification }: { notification: Notification }) {
  const { type, message, timestamp, isReverted, order, programmaticOrder } = notification
  const [what, more] = partsOf(message)
  return (
    <li class={`entry ${type.toLowerCase()} ${isReverted ? 'reverted' : ''}`}>
      <div class="section-head">
        <h3>{what}</h3>
        <Time at={timestamp} />
      </div>
      {more && <p>{more}</p>}
      {isReverted && <p class="note">A chain reorganisation took this back.</p>}
      {order && (
        <p class="note">
          Order <PageLink kind="order" id={order.uid} />
        </p>
      )}
      {programmaticOrder && (
        <p class="note">
          <ProgrammaticLink id={programmaticOrder.id} text="The programmatic order" />
        </p>
      )}
    </li>
  )
}

export function FeedSection({ account }: { account: string }) {
  const { feed, showOlder } = useFeed(account)
  const { notifications, before, isLive, latest, fault } = feed
  return (
    <section aria-labelledby="feed-title">
      <div class="section-head">
        <h2 id="feed-title">Notifications</h2>
        <span class={isLive ? 'state live' : 'state'}>{isLive ? 'Live' : 'Connecting…'}</span>
      </div>
      <p class="unseen" role="status">
        {latest?.message}
      </p>
      {fault !== undefined && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
      {notifications?.length === 0 && (
        <p class="empty">None yet. Notifications appear here when an order of this account changes.</p>
      )}
      <ol class="entries">
        {notifications?.map((notification) => (
          <Entry key={notification.notificationId} notification={notification} />
        ))}
      </ol>
      {before !== null && (
        <button type="button" class="plain" onClick={() => void showOlder().catch(() => undefined)}>
          Show older
        </button>
      )}
    </section>
  )
}
