import { Refusal } from '../../domain/errors/error.ts'
import { type Address, nativeMarker } from '../../domain/evm/address.ts'
import { feesOf, pool } from '../../domain/routing/pool-value.ts'
import { dollarsDown } from '../../domain/token/prices.ts'
import { poolPageFields, type ValuedPool } from '../../tokens/pool-figures.ts'
import { builder } from '../builder.ts'
import type { Context } from '../context/context.ts'
import { tradingOn } from '../context/networks.ts'
import { addFields, describedRef } from '../described.ts'
import { NetworkRef, networkOn } from '../network.ts'
import { checkFirst, cursorArguments, pageInfoField } from '../paging.ts'
import { PoolConnectionRef, PoolEdgeRef, type PoolRow } from '../refs.ts'

/** Pools that one request may name. */
export const maxNamedPools = 500

/** A field in dollars, at the price of the native coin; null also where that has none. */
function dollars(amountOf: (pool: PoolRow) => bigint | null) {
  return {
    type: 'Decimal' as const,
    nullable: true as const,
    description: 'The same in US dollars.',
    resolve: async (pool: PoolRow, _args: object, context: Context) => {
      const amount = amountOf(pool)
      if (amount === null) return null
      const { chainId } = pool
      const price = await context.loaders.usdPrice.load({ chainId, address: nativeMarker })
      return price ? dollarsDown(amount, price.value) : null
    },
  }
}

const PoolRef = describedRef<typeof pool, PoolRow>(pool)

builder.objectFields(PoolRef, (t) => ({
  project: t.string({
    description: 'The name of the factory that made the pool.',
    resolve: ({ chainId }, _args, context) => networkOn(chainId, context).poolProject,
  }),
  valueUsd: t.field(dollars(({ value }) => value)),
  volumeUsd: t.field(dollars(({ volume }) => volume)),
  feesUsd: t.field(dollars(feesOf)),
}))

PoolEdgeRef.implement({
  description: 'A pool in a page.',
  fields: (t) => ({
    cursor: t.string({ description: 'Continues behind this pool.', resolve: cursorOf }),
    node: t.field({ type: PoolRef, description: 'The pool.', resolve: (pool) => pool }),
  }),
})

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
  }),
})
addFields(PoolConnectionRef, poolPageFields)

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
        ...figures.value,
        ...figures,
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
