import { type FieldNode, type GraphQLResolveInfo, Kind } from 'graphql'
import type { Address } from '../../domain/evm/address.ts'
import { tokenByAddress } from '../../storage/models/keyed.ts'
import type { Context } from '../context/context.ts'
import { resolveKeyed, type StoredValue } from '../stored/resolve.ts'

/** The token of an address that a computed value holds. Reads nothing when only the address is selected. */
export async function tokenOfAddress(
  chainId: number,
  address: Address,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<StoredValue> {
  const addressOnly = singleFieldObject('address', address, info)
  return (
    addressOnly ?? ((await resolveKeyed(tokenByAddress, { chainId, address }, context, info)) as StoredValue)
  )
}

/** The object without a read, when `field` is all that is selected; else undefined. */
export function singleFieldObject(
  field: string,
  value: string,
  { fieldNodes }: GraphQLResolveInfo,
): StoredValue | undefined {
  const selections = fieldNodes.flatMap(({ selectionSet }) => selectionSet?.selections ?? [])
  const isField = (selection: (typeof selections)[number]): selection is FieldNode =>
    selection.kind === Kind.FIELD && selection.name.value === field
  if (!selections.every(isField)) return undefined
  return Object.fromEntries(selections.map(({ alias, name }) => [(alias ?? name).value, value]))
}
