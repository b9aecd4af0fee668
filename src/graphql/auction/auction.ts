import { auction } from '../../storage/models/auction/auction.ts'
import { currentAuction } from '../../storage/models/auction/current.ts'
import { auctionFeedEntry } from '../../storage/models/auction/feed.ts'
import { auctionOfTransaction, latestAuction, oneAuction } from '../../storage/models/auction/roots.ts'
import { currentAuctionByChain } from '../../storage/models/keyed.ts'
import type { OneRow } from '../../storage/query/model.ts'
import { builder } from '../builder.ts'
import { requireAccess } from '../context/access.ts'
import { tradingOn } from '../context/networks.ts'
import './enums.ts'
import { AuctionRef, CurrentAuctionRef, NetworkRef } from '../refs.ts'
import { networkArgument } from '../relay/paging.ts'
import { exposeModel } from '../stored/expose.ts'
import { feedField } from '../stored/feed-field.ts'
import { modelRef } from '../stored/model-ref.ts'
import { identityOf, resolveKeyed } from '../stored/resolve.ts'
import { storedRoot } from '../stored/root.ts'
import type { Environment } from '../stored/stored-field.ts'

exposeModel(auction)
exposeModel(auctionFeedEntry)
exposeModel(currentAuction)

builder.objectField(AuctionRef, 'network', (t) =>
  t.field({
    type: NetworkRef,
    nullable: true,
    description: 'Where it settles.',
    resolve: (parent, _args, { networks }) =>
      networks.byChainId(identityOf<{ chainId: number }>(parent).chainId)?.network,
  }),
)

const auctionRoot = (rows: OneRow['rows'], description: string): OneRow => ({
  kind: 'one',
  model: () => auction,
  nullable: true,
  rows,
  description,
})

const chainOf = (environment: Environment, network: string | undefined) =>
  tradingOn(environment, network).network.chainId

builder.queryFields((t) => {
  const network = networkArgument(t.arg, 'May be left out where there is only one.')
  return {
    auction: storedRoot(
      t,
      auctionRoot(
        oneAuction,
        'One auction; null when it is not known, or hidden until its deadline block has passed.',
      ),
      {
        args: { network, id: t.arg({ type: 'SafeInt', required: true, description: 'Its id.' }) },
        rowArguments: ({ network, id }: { network?: string; id: number }, environment) => ({
          id,
          chainId: chainOf(environment, network),
        }),
      },
    ),
    latestAuction: storedRoot(
      t,
      auctionRoot(latestAuction, 'The newest auction that is not hidden; null before the first.'),
      {
        args: { network },
        rowArguments: ({ network }: { network?: string }, environment) => ({
          chainId: chainOf(environment, network),
        }),
      },
    ),
    currentAuction: t.field({
      type: CurrentAuctionRef,
      nullable: true,
      description:
        'What solvers of a network are given at the moment, for those whom the deployment lets read it; null when no order can be settled.',
      args: { network },
      resolve: async (_root, { network }, context, info) => {
        requireAccess('currentAuction', context)
        return (await resolveKeyed(
          currentAuctionByChain,
          chainOf(context, network ?? undefined),
          context,
          info,
        )) as never
      },
    }),
    auctionOfTransaction: storedRoot(
      t,
      auctionRoot(
        auctionOfTransaction,
        'The auction that a transaction settled; null when it settled none of this service.',
      ),
      {
        args: {
          network,
          hash: t.arg({ type: 'Bytes32', required: true, description: 'The transaction.' }),
        },
        rowArguments: ({ network, hash }: { network?: string; hash: string }, environment) => ({
          hash,
          chainId: chainOf(environment, network),
        }),
      },
    ),
  }
})

builder.subscriptionField('auctions', (t) =>
  t.field({
    type: modelRef(auctionFeedEntry.name),
    description:
      'Competitions of a network and what becomes of their settlements, as they are committed. A hidden competition comes when its deadline block has passed. Without after it starts now; with a cursor it first gives what was missed, once and in order.',
    args: {
      network: networkArgument(t.arg, 'May be left out where there is only one.'),
      after: t.arg.string({ required: false, description: 'A cursor, or "earliest".' }),
    },
    ...feedField<{ network?: string; after?: string | null }>({
      find: ({ network, after }, environment) => ({
        feed: environment.feeds.network,
        key: String(chainOf(environment, network)),
        after: after ?? null,
      }),
    }),
  }),
)
