import { string } from '../../query/codec.ts'
import type { FeedSource } from '../../query/feed-source.ts'
import { derived, type Model } from '../../query/model.ts'
import { hidesCompetitions } from '../../query/selected.ts'
import { auction } from './auction.ts'
import { settlementAttempt } from './settlement-attempt.ts'

/** Entry `f` of auction `a`, and of attempt `t` if it is about one. */
export const auctionFeedEntry: Model = {
  name: 'AuctionEntry',
  description: 'A competition, or what became of a settlement of it, in a stream.',
  fields: { cursor: derived(string, 'f.place::text', 'Continues here: nothing is lost or repeated.') },
  relations: {
    auction: { kind: 'same', model: () => auction, description: 'The auction.' },
    settlementAttempt: {
      kind: 'same',
      model: () => settlementAttempt,
      nullable: true,
      unless: 'f.solution_uid IS NULL',
      description:
        'The attempt to settle a solution, which has ended; or it runs again, since a reorg took its settlement. Null in the entry of the competition.',
    },
  },
}

/**
 * The competitions of a network and what became of their settlements. Where competitions are hidden until their deadline, they have
 * entries of their own, from the moment when the indexer passes it; again after a reorg that led back before the deadline.
 */
export const auctionFeed: FeedSource = {
  name: 'network',
  table: 'auction_feed',
  entry: auctionFeedEntry,
  rows: `auction_feed f JOIN auctions a ON a.id = f.auction_id
    LEFT JOIN settlement_attempts t ON t.auction_id = f.auction_id AND t.solution_uid = f.solution_uid
    WHERE (f.hides IS NULL OR f.hides = ${hidesCompetitions})`,
  key: 'f.chain_id',
  keyType: 'int',
}
