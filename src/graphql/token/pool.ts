import { formatRatioDown } from '../../domain/amount.ts'
import { Refusal } from '../../domain/errors/error.ts'
import { type Address, nativeMarker } from '../../domain/evm/address.ts'
import { feesDown, poolFeeBps, yearlyPercent } from '../../domain/routing/pool-value.ts'
import { dollarsDown } from '../../domain/token/prices.ts'
import type { ValuedPool } from '../../tokens/pool-figures.ts'
import { builder } from '../builder.ts'
import type { Context } from '../context/context.ts'
import { tradingOn } from '../context/networks.ts'
import { networkOn } from '../network.ts'
import { checkFirst, cursorArguments, pageInfoField } from '../paging.ts'
import {
  NetworkRef,
  PoolConnectionRef,
  PoolEdgeRef,
  type PoolPage,
  PoolRef,
  type PoolRow,
  TokenRef,
} from '../refs.ts'
import { sourceFields } from './source-fields.ts'
import { tokenOfAddress } from './token.ts'

/** Pools that one request may name. */
export const maxNamedPools = 500

/** A field in native atoms, null where it is not known. */
function native(description: string, amountOf: (pool: PoolRow) => bigint | null) {
  return { type: 'Uint256' as const, nullable: true as const, description, resolve: amountOf }
}

/** The same in dollars, at the price of the native coin; null also where that has none. */
function dollars(description: string, amountOf: (pool: PoolRow) => bigint | null) {
  return {
    type: 'Decimal' as const,
    nullable: true as const,
    description,
    resolve: async (pool: PoolRow, _args: object, context: Context) => {
      const amount = amountOf(pool)
      if (amount === null) return null
      const { chainId } = pool
      const price = await context.loaders.usdPrice.load({ chainId, address: nativeMarker })
      return price ? dollarsDown(amount, price.value) : null
    },
  }
}

const fees = ({ volume }: PoolRow) => volume && feesDown(volume)
const dayText = 'within the day of its list'

PoolRef.implement({
  description:
    'A pool of two tokens whose product stays (Uniswap V2), with figures from its logs. What is not known is null, never 0.',
  fields: (t) => ({
    address: t.expose('address', { type: 'Address', description: 'Its contract.' }),
    project: t.string({
      description: 'The name of the factory that made the pool.',
      resolve: ({ chainId }, _args, context) => networkOn(chainId, context).poolProject,
    }),
    token0: t.field({
      type: TokenRef,
      description: 'The token with the lower address.',
      resolve: ({ chainId, token0 }, _args, context, info) => tokenOfAddress(chainId, token0, context, info),
    }),
    token1: t.field({
      type: TokenRef,
      description: 'The other token.',
      resolve: ({ chainId, token1 }, _args, context, info) => tokenOfAddress(chainId, token1, context, info),
    }),
    reserve0: t.field(native('Atoms of token0 in it.', ({ reserve0 }) => reserve0)),
    reserve1: t.field(native('Atoms of token1 in it.', ({ reserve1 }) => reserve1)),
    price0: t.field({
      type: 'Decimal',
      nullable: true,
      description:
        'Atoms of token1 for one atom of token0, before the fee: 18 significant digits, rounded down; null for an empty pool.',
      resolve: ({ reserve0, reserve1 }) =>
        reserve0 && reserve1 !== null ? formatRatioDown(reserve1, reserve0) : null,
    }),
    price1: t.field({
      type: 'Decimal',
      nullable: true,
      description: 'Atoms of token0 for one atom of token1, likewise.',
      resolve: ({ reserve0, reserve1 }) =>
        reserve1 && reserve0 !== null ? formatRatioDown(reserve0, reserve1) : null,
    }),
    feeBps: t.field({
      type: 'BasisPoints',
      description: 'The share of the input that it keeps.',
      resolve: () => poolFeeBps,
    }),
    volume0: t.field(native(`Atoms of token0 that came in ${dayText}.`, ({ day }) => day?.amount0 ?? null)),
    volume1: t.field(native(`Atoms of token1 that came in ${dayText}.`, ({ day }) => day?.amount1 ?? null)),
    valueNative: t.field(
      native(
        'The value of both reserves in native atoms. A token without a price of its own counts at the pool’s.',
        ({ value }) => value,
      ),
    ),
    valueUsd: t.field(dollars('The same in US dollars.', ({ value }) => value)),
    volumeNative: t.field(
      native(`The input ${dayText}, in native atoms at the prices of now.`, ({ volume }) => volume),
    ),
    volumeUsd: t.field(dollars('The same in US dollars.', ({ volume }) => volume)),
    feesNative: t.field(native(`The fees that it kept ${dayText}, in native atoms.`, fees)),
    feesUsd: t.field(dollars('The same in US dollars.', fees)),
    apr: t.field({
      type: 'Decimal',
      nullable: true,
      description: 'Per cent of its value that a year of such days’ fees adds to it.',
      resolve: yearlyPercent,
    }),
  }),
})

PoolEdgeRef.implement({
  description: 'A pool in a page.',
  fields: (t) => ({
    cursor: t.string({ description: 'Continues behind this pool.', resolve: cursorOf }),
    node: t.field({ type: PoolRef, description: 'The pool.', resolve: (pool) => pool }),
  }),
})

const { asOf, age, maxAge, isStale } = sourceFields(({ figures }: PoolPage) => figures)

PoolConnectionRef.implement({
  description:
    'A page of the pools that are followed: those between the network’s base tokens, and those that quotes and auctions used within a week.',
  fields: (t) => ({
    edges: t.field({
      type: [PoolEdgeRef],
      description: 'Pools with their cursors.',
      resolve: ({ pools }) => pools,
    }),
    nodes: t.field({ type: [PoolRef], description: 'The pools alone.', resolve: ({ pools }) => pools }),
    pageInfo: t.field({
      ...pageInfoField,
      resolve: ({ pools, hasNextPage, isContinued }) => ({
        page: {
          hasNextPage,
          hasPreviousPage: isContinued,
          startCursor: pools.slice(0, 1).map(cursorOf)[0] ?? null,
          endCursor: pools.slice(-1).map(cursorOf)[0] ?? null,
        },
      }),
    }),
    totalCount: t.int({ description: 'Pools in the whole list.', resolve: ({ totalCount }) => totalCount }),
    averageApr: t.field({
      type: 'Decimal',
      nullable: true,
      description:
        'Per cent a year of all pools that are followed, each counted by its value; null when none is known.',
      resolve: ({ figures }) => figures.value.averageApr,
    }),
    fromBlock: t.field({
      type: 'SafeInt',
      description:
        'The first block of the day. It begins a span of a quarter of an hour, so that the day is up to a quarter of an hour short.',
      resolve: ({ figures }) => figures.value.fromBlock,
    }),
    fromTime: t.field({
      type: 'DateTime',
      description: 'Its time.',
      resolve: ({ figures }) => figures.value.fromTime,
    }),
    toBlock: t.field({
      type: 'SafeInt',
      description: 'The last block of the day: reserves are those at its end.',
      resolve: ({ figures }) => figures.value.block,
    }),
    toTime: t.field({
      type: 'DateTime',
      description: 'Its time.',
      resolve: ({ figures }) => figures.value.blockTime,
    }),
    source: t.string({
      description: 'The source of figures: `logs`, those of the pools.',
      resolve: ({ figures }) => figures.source,
    }),
    asOf: t.field({ ...asOf, description: 'The time of the last reading of logs.' }),
    age: t.field(age),
    maxAge: t.field(maxAge),
    isStale: t.field({ ...isStale, description: 'True if newer logs cannot be read.' }),
  }),
})

builder.objectField(NetworkRef, 'pools', (t) =>
  t.field({
    type: PoolConnectionRef,
    nullable: true,
    description:
      'Pools with reserves, value, and volume and fees of a day, the greatest value first; null while none are followed.',
    args: {
      ...cursorArguments(t.arg),
      addresses: t.arg({
        type: ['Address'],
        required: false,
        description: `Only these, at most ${maxNamedPools}; those that are not followed are left out.`,
      }),
    },
    resolve: async ({ name, chainId }, { first, after, addresses }, context) => {
      checkFirst(first)
      if (addresses && addresses.length > maxNamedPools)
        throw new Refusal('InvalidParameter', `addresses must name at most ${maxNamedPools} pools`, {
          field: 'addresses',
        })
      const lastSeen = after == null ? undefined : parseCursor(after)
      const figures = await tradingOn(context, name).poolFigures()
      if (!figures) return null
      const listed = addresses ? named(addresses, figures.value.byAddress) : figures.value.pools
      const remaining = lastSeen ? listed.filter((pool) => isBehind(pool, lastSeen)) : listed
      return {
        figures,
        pools: context.countItems(remaining.slice(0, first)).map((pool) => ({ ...pool, chainId })),
        totalCount: listed.length,
        isContinued: lastSeen !== undefined,
        hasNextPage: remaining.length > first,
      }
    },
  }),
)

function named(
  addresses: readonly Address[],
  byAddress: ReadonlyMap<Address, ValuedPool>,
): readonly ValuedPool[] {
  const pools = [...new Set(addresses)].flatMap((address) => byAddress.get(address) ?? [])
  return pools.sort((a, b) => (isBehind(a, b) ? 1 : -1))
}

type PoolCursor = Pick<ValuedPool, 'value' | 'address'>

/** Opaque to clients. Holds the sort key, so that the next page continues where values have changed. */
function cursorOf({ value, address }: PoolCursor): string {
  return Buffer.from(`l${value ?? '-'}.${address}`).toString('base64url')
}

/** @throws Refusal InvalidParameter */
function parseCursor(cursor: string): PoolCursor {
  const match = /^l(-|[0-9]{1,100})\.(0x[0-9a-f]{40})$/.exec(Buffer.from(cursor, 'base64url').toString())
  const [, value, address] = match ?? []
  if (!value || !address)
    throw new Refusal('InvalidParameter', 'after must be a cursor of this list', { field: 'after' })
  return { address: address as Address, value: value === '-' ? null : BigInt(value) }
}

function isBehind(pool: PoolCursor, lastSeen: PoolCursor): boolean {
  if (pool.value === lastSeen.value) return pool.address > lastSeen.address
  return (pool.value ?? -1n) < (lastSeen.value ?? -1n)
}
