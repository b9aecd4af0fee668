import type { Described, ValueOf } from '../../domain/described.ts'
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
import { checkFirst, connectionRef, cursorArguments, pageOf, placeIn } from '../paging.ts'

/** Pools that one request may name. */
export const maxNamedPools = 500

/** A field in dollars, at the price of the native coin; null also where that has none. */
function dollars(amountOf: (pool: ValuedPool) => bigint | null) {
  return {
    type: 'Decimal' as const,
    nullable: true as const,
    description: 'The same in US dollars.',
    resolve: async (pool: ValuedPool, _args: object, context: Context) => {
      const amount = amountOf(pool)
      if (amount === null) return null
      const { chainId } = pool
      const price = await context.loaders.usdPrice.load({ chainId, address: nativeMarker })
      return price ? dollarsDown(amount, price.value) : null
    },
  }
}

const PoolRef = describedRef<typeof pool, ValuedPool>(pool)

builder.objectFields(PoolRef, (t) => ({
  project: t.string({
    description: 'The name of the factory that made the pool.',
    resolve: ({ chainId }, _args, context) => networkOn(chainId, context).poolProject,
  }),
  valueUsd: t.field(dollars(({ value }) => value)),
  volumeUsd: t.field(dollars(({ volume }) => volume)),
  feesUsd: t.field(dollars(feesOf)),
}))

const PoolConnectionRef = connectionRef<ValuedPool, ValueOf<Described<typeof poolPageFields>>>({
  item: PoolRef,
  description:
    'A page of the pools that are followed: those between the network’s base tokens, and those that quotes and auctions used within a week.',
  // The sort key, so that the next page continues where values have changed.
  placeOf: ({ value, address }) => `l${value ?? '-'}.${address}`,
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
    resolve: async ({ name }, { first, after, addresses }, context) => {
      checkFirst(first)
      if (addresses && addresses.length > maxNamedPools)
        throw new Refusal('InvalidParameter', `addresses must name at most ${maxNamedPools} pools`, {
          field: 'addresses',
        })
      const lastSeen = after == null ? undefined : lastIn(after)
      const figures = await tradingOn(context, name).poolFigures()
      if (!figures) return null
      const listed = addresses ? named(addresses, figures.value.byAddress) : figures.value.pools
      const remaining = lastSeen ? listed.filter((pool) => isBehind(pool, lastSeen)) : listed
      return {
        ...figures.value,
        ...figures,
        ...pageOf(remaining, first, context),
        hasPreviousPage: lastSeen !== undefined,
        totalCount: listed.length,
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

/** @throws Refusal InvalidParameter */
function lastIn(cursor: string): PoolCursor {
  const [value = '', address] = placeIn(cursor, /^l(-|[0-9]{1,100})\.(0x[0-9a-f]{40})$/)
  return { address: address as Address, value: value === '-' ? null : BigInt(value) }
}

function isBehind(pool: PoolCursor, lastSeen: PoolCursor): boolean {
  if (pool.value === lastSeen.value) return pool.address > lastSeen.address
  return (pool.value ?? -1n) < (lastSeen.value ?? -1n)
}
