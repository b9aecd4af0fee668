import type { Db } from '../storage/database/database.ts'
import { createFeedPort } from '../storage/feeds/port.ts'
import { auctionFeed } from '../storage/models/auction/feed.ts'
import { notificationFeed } from '../storage/models/notification/feed.ts'
import { orderFeed, ownerFeed } from '../storage/models/order/feed.ts'
import { createFeed, type Feed, type FeedOptions } from './feed.ts'

/** The durable feeds, by what is followed: each has one reader, which stands still while it has no follower. */
export interface Feeds {
  /** Notifications of an account, by its address. */
  account: Feed
  /** Events of an order, by its row key. */
  order: Feed
  /** Events of an account's orders, by its address. */
  owner: Feed
  /** Competitions and settlements of a network, by its chain id. */
  network: Feed
}

export function createFeeds({ db, ...options }: Omit<FeedOptions, 'port'> & { db: Db }): Feeds {
  const feedOf = (source: Parameters<typeof createFeedPort>[1]) =>
    createFeed({ port: createFeedPort(db, source), ...options })
  return {
    account: feedOf(notificationFeed),
    order: feedOf(orderFeed),
    owner: feedOf(ownerFeed),
    network: feedOf(auctionFeed),
  }
}

export function closeFeeds(feeds: Feeds): void {
  for (const feed of Object.values(feeds) as Feed[]) feed.close()
}
