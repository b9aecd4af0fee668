import { type FieldNode, type GraphQLResolveInfo, Kind } from 'graphql'
import type { Address } from '../../domain/evm/address.ts'
import { tokenByAddress } from '../../storage/models/keyed.ts'
import type { Context } from '../context/context.ts'
import { resolveKeyed, type StoredValue } from '../stored/resolve.ts'

/** A token that something not stored names, whatever is stored of it. For its address alone nothing is read. */
export async function knownToken(
  chainId: number,
  address: Address,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<StoredValue> {
  const alone = valueAlone('address', address, info)
  return alone ?? ((await resolveKeyed(tokenByAddress, { chainId, address }, context, info)) as StoredValue)
}

/** An object of which one field is asked for, and that is known; `undefined` when there is more to it. */
export function valueAlone(
  field: string,
  value: string,
  { fieldNodes }: GraphQLResolveInfo,
): StoredValue | undefined {
  const selections = fieldNodes.flatMap(({ selectionSet }) => selectionSet?.selections ?? [])
  const isAlone = (selection: (typeof selections)[number]): selection is FieldNode =>
    selection.kind === Kind.FIELD && selection.name.value === field
  if (!selections.every(isAlone)) return undefined
  return Object.fromEntries(selections.map(({ alias, name }) => [(alias ?? name).value, value]))
}
