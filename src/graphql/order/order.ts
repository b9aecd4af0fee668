import type { Address } from '../../domain/evm/address.ts'
import { unixSeconds } from '../../domain/log.ts'
import type { OrderStatus as Status } from '../../domain/order/status.ts'
import { filteredOrders } from '../../storage/models/account.ts'
import { order } from '../../storage/models/order/order.ts'
import { namedOrders, oneOrder, ordersOfTransaction } from '../../storage/models/order/roots.ts'
import {
  type OutcomeArguments,
  solverOutcome,
  solverOutcomes,
} from '../../storage/models/order/solver-outcome.ts'
import type { OneRow, Relation } from '../../storage/query/model.ts'
import { builder } from '../builder.ts'
import { checkNamed } from '../context/context.ts'
import { chainIdOf, tradingOn } from '../context/networks.ts'
import { OrderStatus } from '../enums.ts'
import { NetworkRef, OrderRef } from '../refs.ts'
import { type Arguments, networkArgument } from '../relay/paging.ts'
import { exposeModel, relationOptions } from '../stored/expose.ts'
import { identityOf } from '../stored/resolve.ts'
import { storedRoot } from '../stored/root.ts'
import type { Environment } from '../stored/stored-field.ts'
import { OrderFilterInput, toOrderFilter } from './filter.ts'
import { maxNamedOrders as maxNamed } from './uids-input.ts'

exposeModel(order, ['solverOutcomes'])
exposeModel(solverOutcome)

builder.objectField(OrderRef, 'solverOutcomes', (t) =>
  t.field(
    relationOptions(solverOutcomes, {
      args: {
        auctionId: t.arg({
          type: 'SafeInt',
          required: false,
          description: 'The auction; the newest that held the order and is not hidden without it.',
        }),
        solver: t.arg({ type: 'Address', required: false, description: 'Only this solver.' }),
      },
      rowArguments: ({ auctionId, solver }: Partial<OutcomeArguments>) => ({
        auctionId: auctionId ?? null,
        solver: solver ?? null,
      }),
    }) as never,
  ),
)

builder.objectField(OrderRef, 'network', (t) =>
  t.field({
    type: NetworkRef,
    description: 'Where the order trades.',
    resolve: (parent, _args, { networks }) => {
      const { chainId } = identityOf<{ chainId: number }>(parent)
      const trading = networks.byChainId(chainId)
      if (!trading) throw new Error(`chain ${chainId} is not served here`)
      return trading.network
    },
  }),
)

const transactionRoot = ordersRoot(
  'many',
  ordersOfTransaction,
  'Orders that a settlement transaction traded; empty when it is not known.',
  20,
)

builder.queryFields((t) => ({
  order: storedRoot(t, ordersRoot('one', oneOrder, 'One order; null when it is not known.'), {
    args: {
      uid: t.arg({ type: 'OrderUid', required: true, description: 'Its UID.' }),
      network: networkArgument(t.arg, 'Narrows: an order of another network is not known.'),
    },
    rowArguments: ({ uid, network }: { uid: string; network?: string }, environment) => ({
      uid,
      chainId: chainIdOf(environment, network),
    }),
  }),
  ordersByUids: storedRoot(
    t,
    ordersRoot(
      'many',
      namedOrders,
      `Orders by their UIDs, at most ${maxNamed}, each once and as they were named; what is not known is left out.`,
      maxNamed,
    ),
    {
      args: {
        uids: t.arg({ type: ['OrderUid'], required: true, description: 'Their UIDs.' }),
        network: networkArgument(t.arg, 'Narrows: an order of another network is not known.'),
      },
      rowArguments: ({ uids, network }: { uids: string[]; network?: string }, environment) => {
        const chainId = chainIdOf(environment, network)
        checkNamed(uids as `0x${string}`[], 'uids', environment)
        return { uids: [...new Set(uids)], chainId }
      },
    },
  ),
  transactionOrders: storedRoot(t, transactionRoot, {
    args: {
      hash: t.arg({ type: 'Bytes32', required: true, description: 'The transaction.' }),
      network: networkArgument(t.arg, 'May be left out where there is only one.'),
    },
    rowArguments: ({ hash, network }: { hash: string; network?: string }, environment) => ({
      hash,
      chainId: tradingOn(environment, network).network.chainId,
    }),
  }),
  orders: storedRoot(t, filteredOrders, {
    args: {
      owner: t.arg({ type: 'Address', required: false, description: 'Only orders of this owner.' }),
      ...filterArguments(t.arg),
    },
    rowArguments: filterRowArguments,
  }),
}))

function ordersRoot(
  kind: 'one' | 'many',
  rows: OneRow['rows'],
  description: string,
  items?: number,
): Relation {
  const root = { model: () => order, rows, description }
  return kind === 'one' ? { ...root, kind, nullable: true } : { ...root, kind, ...(items && { items }) }
}

/** Arguments that narrow a list of orders. */
export function filterArguments(arg: Arguments) {
  return {
    network: networkArgument(arg, 'All networks without it.'),
    status: arg({ type: OrderStatus, required: false, description: 'Short for one of filter.statuses.' }),
    filter: arg({ type: OrderFilterInput, required: false, description: 'Only orders that meet it.' }),
  }
}

interface FilterArguments {
  network?: string | null
  owner?: Address | null
  status?: Status | null
  filter?: Parameters<typeof toOrderFilter>[0]
}

export function filterRowArguments(args: FilterArguments, environment: Environment) {
  const { network, owner, status, filter: filterInput, ...page } = args
  const chainIds = chainIdsOf(environment, network)
  const filter = { ...toOrderFilter(filterInput, status), chainIds, ...(owner != null && { owner }) }
  return { ...page, filter, now: unixSeconds(environment.now()) }
}

/** Chain ids of the named network, else of all networks. */
export function chainIdsOf(environment: Environment, network: string | null | undefined): number[] {
  const networks = network == null ? environment.networks.all : [tradingOn(environment, network)]
  return networks.map((trading) => trading.network.chainId)
}
