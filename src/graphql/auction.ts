import {
  leftOutReasons,
  solutionRefusals,
  solverAnswers,
  solverOutcomes,
} from '../domain/auction/competition.ts'
import { auctionNumber, chainOfKey } from '../domain/auction/key.ts'
import { Outage, Refusal } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import { standingTexts } from '../domain/order/event.ts'
import { maxAccountRange } from '../domain/settlement/accounting.ts'
import { isAuctionUnread } from '../storage/auction/mirrored-competition.ts'
import { accountingOf } from '../storage/models/auction/accounting.ts'
import {
  auction,
  auctionFeedEntry,
  auctionOfAny,
  auctionOfTransaction,
  currentAuction,
  latestAuction,
  listedAuctions,
  oneAuction,
} from '../storage/models/auction/auction.ts'
import {
  listedSettlements,
  settlement,
  settlementsOfTransaction,
} from '../storage/models/auction/settlement.ts'
import { auctionById, currentAuctionByChain, solutionByKey } from '../storage/models/keyed.ts'
import type { OneRow } from '../storage/query/model.ts'
import { builder } from './builder.ts'
import { requireAccess } from './context/access.ts'
import type { Context } from './context/context.ts'
import { tradingOn } from './context/networks.ts'
import { defineEnum } from './enums.ts'
import { NetworkRef } from './network.ts'
import { namedNetworks, readingTransaction } from './order/order.ts'
import { feedCursorArgument, networkArgument } from './paging.ts'
import { AuctionRef, CurrentAuctionRef, SettlementRef } from './refs.ts'
import type { Environment } from './stored/collect.ts'
import { elsewhere } from './stored/elsewhere.ts'
import { exposeModel, storedRoot } from './stored/expose.ts'
import { feedField } from './stored/feed-field.ts'
import { identityOf, modelRef, resolveKeyed } from './stored/resolve.ts'

defineEnum('LeftOutReason', 'The reason why an auction left out an order.', leftOutReasons, {
  ...standingTexts,
  not_yet_valid: 'Its documents say that it may not be traded before a later time.',
  expires_soon: 'It would expire before a settlement is likely to be mined.',
  not_checked: 'Its wallet, its hooks or its balance was still to be asked about.',
})

defineEnum('SolverAnswerKind', 'The kind of a solver’s answer.', solverAnswers, {
  answered: 'It answered in time, maybe with nothing.',
  late: 'Its answer did not come in time.',
  failed: 'It could not be reached, or its answer was not valid.',
  not_asked: 'It is paused after settlements that failed, or has enough to submit.',
})

defineEnum('SolverOutcomeKind', 'The furthest step that a solver reached with an order.', solverOutcomes, {
  not_sent: 'The auction did not hold the order.',
  not_asked: 'The solver was not asked in this auction.',
  won: 'Its solution with the order won.',
  beaten: 'It proposed to trade the order; others won.',
  refused: 'Its proposal for the order broke a rule, or could not be settled.',
  late: 'Its answer did not come in time.',
  failed: 'It could not be reached, or its answer was not valid.',
  no_bid: 'It answered, without the order.',
})

defineEnum('SolutionRefusalCode', 'The reason why a solution was refused.', solutionRefusals, {
  unknown_order: 'It trades an order that the auction did not hold, or one twice.',
  invalid_price: 'A clearing price is missing, or breaks the limit of an order.',
  invalid_amount:
    'An amount is not positive, more than what remains, or not the whole of an order that is filled whole.',
  no_score: 'It trades no order that counts for the score, or a token without a price.',
  unsupported: 'It uses what the service does not settle.',
  own_order: 'An order that the solver brings is not allowed, or not valid.',
  forbidden_call: 'It calls a contract that it may not call, or leaves somebody a right to tokens.',
  contract_balance: 'It uses more of the settlement contract’s tokens than it may.',
  other_than_claimed: 'The revealed settlement is not what its solver claimed.',
  not_revealed: 'Its solver did not reveal the settlement.',
  too_many: 'Better solutions of the same answer have the places.',
  solver_cannot_pay: 'The account of the solver cannot pay for the gas.',
  gas_too_dear: 'Gas costs more than settlements may offer.',
  reverts: 'Its settlement fails in a simulation.',
  reverts_after_others: 'Its settlement fails after those of better winners.',
  order_cancelled: 'An order that it trades was cancelled before it could win.',
  unfair: 'A pair scores less in it than in a solution for that pair alone.',
})

exposeModel(auction)
exposeModel(auctionFeedEntry)
exposeModel(currentAuction)

builder.objectField(AuctionRef, 'network', (t) =>
  t.field({
    type: NetworkRef,
    nullable: true,
    description: 'The network of the auction.',
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

type AuctionArguments = { id: number; chainId: number } | { id: number; chainIds: readonly number[] }

const readAuction = async (key: bigint, { networks, client }: Context) => {
  const chainId = chainOfKey(key)
  const trading = chainId === undefined ? undefined : networks.byChainId(chainId)
  return (await trading?.readAuction?.(auctionNumber(key), client)) ?? false
}
elsewhere(auctionById, { readMissing: readAuction })
elsewhere(solutionByKey, { readMissing: ({ auctionId }, context) => readAuction(auctionId, context) })

const chainOf = (environment: Environment, network: string | undefined) =>
  tradingOn(environment, network).network.chainId

builder.queryFields((t) => {
  const network = networkArgument(t.arg)
  return {
    auction: storedRoot(
      t,
      auctionRoot(
        (args: AuctionArguments) => ('chainId' in args ? oneAuction(args) : auctionOfAny(args)),
        'One auction; null when it is not known, or hidden until its deadline block has passed. Without network, it is the one that is held here, or the only one of all networks that has this number.',
      ),
      {
        args: {
          network: networkArgument(t.arg, 'Order books number their auctions each on their own.'),
          id: t.arg({ type: 'SafeInt', required: true, description: 'Its number.' }),
        },
        rowArguments: ({ network, id }: { network?: string; id: number }, environment): AuctionArguments =>
          network == null
            ? { id, chainIds: environment.networks.all.map(({ network }) => network.chainId) }
            : { id, chainId: chainOf(environment, network) },
        readMissing: async ({ network, id }, context, result) => {
          if (result !== null || id < 0) return false
          const { client } = context
          const named = namedNetworks(network, context)
          const read = await Promise.all(named.map(({ readAuction }) => readAuction?.(BigInt(id), client)))
          return read.includes(true)
        },
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
    auctions: storedRoot(t, listedAuctions, {
      args: { network },
      rowArguments: ({ network, ...page }: { network?: string }, environment) => ({
        ...page,
        chainId: chainOf(environment, network),
      }),
    }),
    currentAuction: t.field({
      type: CurrentAuctionRef,
      nullable: true,
      description:
        'The auction that solvers of a network get at the moment, for clients that the deployment lets read it; null if no order can be settled.',
      args: { network },
      resolve: async (_root, { network }, context, info) => {
        requireAccess('currentAuction', context)
        return resolveKeyed(currentAuctionByChain, chainOf(context, network ?? undefined), context, info)
      },
    }),
    auctionOfTransaction: storedRoot(
      t,
      auctionRoot(
        auctionOfTransaction,
        'The auction that a transaction settled; null when it settled none of this service.',
      ),
      {
        args: { network, hash: t.arg({ type: 'Bytes32', required: true, description: 'The transaction.' }) },
        rowArguments: ({ network, hash }: { network?: string; hash: string }, environment) => ({
          hash,
          chainId: chainOf(environment, network),
        }),
        readMissing: async (args: TransactionArguments, context, result) => {
          if (result !== null) return false
          const isRead = await readingTransaction.readMissing(args, context)
          const { readTransaction, network } = tradingOn(context, args.network)
          const place = { chainId: network.chainId, txHash: args.hash as Bytes32 }
          if (readTransaction && (await isAuctionUnread(context.db, place)))
            throw new Outage('the auction of this transaction')
          return isRead
        },
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
      network: networkArgument(t.arg),
      after: feedCursorArgument(t.arg),
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

exposeModel(settlement)
exposeModel(accountingOf.model())

builder.objectField(SettlementRef, 'network', (t) =>
  t.field({
    type: NetworkRef,
    nullable: true,
    description: 'The network of the auction.',
    resolve: (parent, _args, { networks }) =>
      networks.byChainId(identityOf<{ chainId: number }>(parent).chainId)?.network,
  }),
)

builder.queryFields((t) => {
  const network = networkArgument(t.arg)
  const block = (description: string) => t.arg({ type: 'SafeInt', required: true, description })
  return {
    settlements: storedRoot(t, listedSettlements, {
      args: {
        network,
        solver: t.arg({ type: 'Address', required: false, description: 'Only those of this solver.' }),
      },
      rowArguments: ({ network, solver, ...page }: SettlementsArguments, environment) => ({
        ...page,
        solver: solver ?? null,
        chainId: tradingOn(environment, network).network.chainId,
      }),
    }),
    settlementsOfTransaction: storedRoot(t, settlementsOfTransaction, {
      args: { network, hash: t.arg({ type: 'Bytes32', required: true, description: 'The transaction.' }) },
      rowArguments: ({ network, hash }: { network?: string; hash: Bytes32 }, environment) => ({
        hash,
        chainId: tradingOn(environment, network).network.chainId,
      }),
      ...readingTransaction,
    }),
    accounting: storedRoot(t, accountingOf, {
      args: {
        network,
        fromBlock: block('The first block.'),
        toBlock: block('The last block.'),
      },
      rowArguments: ({ network, fromBlock, toBlock }: AccountingArguments, environment) => {
        const { chainId, blockTimeMs } = tradingOn(environment, network).network
        const max = maxAccountRange(blockTimeMs)
        if (toBlock < fromBlock || toBlock - fromBlock >= max) {
          const range = `from fromBlock, ${max} blocks at most`
          throw new Refusal('InvalidParameter', `toBlock must be ${range}`, { field: 'toBlock' })
        }
        return { chainId, from: fromBlock, to: toBlock }
      },
    }),
  }
})

interface TransactionArguments {
  network?: string
  hash: string
}

interface SettlementsArguments {
  network?: string
  solver?: Address | null
}

interface AccountingArguments {
  network?: string
  fromBlock: number
  toBlock: number
}
