import type { GraphQLOutputType, GraphQLResolveInfo } from 'graphql'
import { derivedOnce } from '../../domain/derived.ts'
import { Refusal } from '../../domain/errors/error.ts'
import type { Caller } from '../../http/caller.ts'
import { type Feed, type FeedEvent, startsWithSnapshot, streamFeed } from '../../notifications/feed.ts'
import type { FeedReading } from '../../storage/feeds/texts.ts'
import type { Selection } from '../../storage/query/selection.ts'
import type { Reading } from '../../storage/query/statement.ts'
import type { Context } from '../context/context.ts'
import type { Environment, Nodes, OperationScope } from './collect.ts'
import { ambientOf, prepareObject, resolverReading, slotsOf } from './reading.ts'
import { type StoredValue, scopeOf } from './resolve.ts'

/** The part of a feed that a subscription follows. */
export interface FeedSubscription {
  feed: Feed
  key: string
  /** A cursor, "earliest", or null for now. */
  after: string | null
  /** True if a stream that starts now begins with the current state of the key. */
  snapshot?: boolean
  /** The most that it has; 1 if left out. */
  snapshotEntries?: number
}

/** `extensions.feed` of a subscription field whose events are entries of a feed. */
export interface FeedField<Args = never> {
  /** Returns the feed that the arguments follow. @throws Refusal */
  find(args: Args, environment: Environment & Caller): FeedSubscription | Promise<FeedSubscription>
  /** The selection of the feed's entry, if the field's type does not name all of its fields. */
  entryOf?(selection: Selection): Selection
}

/**
 * Options of a subscription field whose events are entries of a feed, without its type, arguments and
 * description.
 */
export function feedField<Args>(field: FeedField<Args>) {
  return {
    extensions: { feed: field },
    async subscribe(_root: unknown, args: unknown, context: Context, info: GraphQLResolveInfo) {
      const {
        feed,
        key,
        after,
        snapshot = false,
        snapshotEntries = 1,
      } = await field.find(args as Args, context)
      const nodes = info.fieldNodes as unknown as Nodes
      const { reading } = feedReading(field, info.returnType, nodes, scopeOf(info), context, resolverReading)
      const { client, clientSignal: signal, lastEventId, objects: weight = 1 } = context
      const from = lastEventId ?? after
      if (snapshot && startsWithSnapshot(from)) checkSnapshot(weight * snapshotEntries)
      return streamFeed(feed, { key, after: from, snapshot, client, reading, signal, weight })
    },
    resolve: (event: FeedEvent) => JSON.parse(event.text) as StoredValue,
  }
}

/** Objects of a snapshot, by the estimate: as many as of any result. */
const maxSnapshotObjects = 10_000

function checkSnapshot(objects: number): void {
  if (objects <= maxSnapshotObjects) return
  throw new Refusal(
    'QueryTooComplex',
    `the snapshot may hold ${objects} objects, and at most ${maxSnapshotObjects} are allowed: ask for smaller pages, fewer nested lists or fewer long values`,
    { field: 'snapshot' },
  )
}

/** Entries have the same text for all selections that share an item. */
const entryFor = derivedOnce(
  (item: Selection, entryOf: FeedField['entryOf']): Selection => entryOf?.(item) ?? item,
)

/**
 * How entries are read for a selection, and whether that is all of it.
 * @throws Refusal for invalid arguments
 */
export function feedReading(
  { entryOf }: Pick<FeedField, 'entryOf'>,
  type: GraphQLOutputType,
  nodes: Nodes,
  scope: OperationScope,
  environment: Environment,
  reading: Reading,
): { reading: FeedReading; isFullyStored: boolean } {
  const { item, slots, isFullyStored } = prepareObject(type, nodes, scope)
  return {
    isFullyStored,
    reading: {
      item: entryFor(item, entryOf),
      slots: slotsOf(slots, scope, environment),
      ambient: () => ambientOf(environment),
      reading,
    },
  }
}
