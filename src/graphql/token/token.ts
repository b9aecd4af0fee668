import { type FieldNode, type GraphQLResolveInfo, Kind } from 'graphql'
import { Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import { storedToken, type TokenKey, tokenByAddress } from '../../storage/models/keyed.ts'
import { tokenOf } from '../../storage/models/token.ts'
import { builder } from '../builder.ts'
import type { Context } from '../context/context.ts'
import { tradingOn } from '../context/networks.ts'
import { networkArgument } from '../paging.ts'
import { TokenRef } from '../refs.ts'
import { exposeModel, type FindKeys } from '../stored/expose.ts'
import { identityOf, resolveKeyed, resolveKnown, type StoredValue } from '../stored/resolve.ts'

exposeModel(tokenOf('tok.chain_id', 'tok.address'))

/** The key of a token that a statement or a resolver found. */
export function tokenKeyOf(parent: StoredValue): TokenKey {
  return identityOf<TokenKey>(parent)
}

/** Tokens that one request may name. */
const maxNamed = 128
/** This many tokens count as one read; each counts as a read if a field calls an outside source. */
const namedPerRead = 8

const findToken: FindKeys = ({ network, address }: { network?: string; address: Address }, environment) => {
  const { chainId } = tradingOn(environment, network).network
  return { keyed: storedToken, keys: [{ chainId, address }], typeName: 'Token' }
}

interface TokensArguments {
  network?: string | null | undefined
  addresses: readonly Address[]
}

/** @throws Refusal InvalidParameter */
function tokenKeysOf(
  { network, addresses }: TokensArguments,
  environment: Parameters<FindKeys>[1],
): TokenKey[] {
  const { chainId } = tradingOn(environment, network).network
  if (addresses.length > maxNamed) {
    throw new Refusal('InvalidParameter', `addresses must name at most ${maxNamed} tokens`, {
      field: 'addresses',
    })
  }
  return addresses.map((address) => ({ chainId, address }))
}

const findTokens: FindKeys = (args: TokensArguments, environment) => ({
  keyed: tokenByAddress,
  keys: tokenKeysOf(args, environment),
  typeName: 'Token',
})

/** The stored token, else the token as the chain has it; null where there is no token. */
export async function tokenAt(
  key: TokenKey,
  context: Context,
  info: GraphQLResolveInfo,
  typeName?: string,
): Promise<StoredValue | null> {
  const token = await resolveKeyed(tokenByAddress, key, context, info, typeName)
  const isStored = token && identityOf<{ isStored: boolean }>(token).isStored
  return isStored || (await context.loaders.token.load(key)) ? token : null
}

builder.queryFields((t) => ({
  token: t.field({
    type: TokenRef,
    nullable: true,
    description: 'A token; null when there is none at the address.',
    args: {
      network: networkArgument(t.arg),
      address: t.arg({
        type: 'TokenAddress',
        required: true,
        description: 'Its contract, or `-` for the chain’s own coin.',
      }),
    },
    extensions: { findKeys: findToken },
    resolve: (_root, { network, address }, context, info) =>
      tokenAt({ chainId: tradingOn(context, network).network.chainId, address }, context, info),
  }),
  tokens: t.field({
    type: [TokenRef],
    description: `Tokens by address, at most ${maxNamed}, as they were named, whether or not there is a contract.`,
    args: {
      network: networkArgument(t.arg),
      addresses: t.arg({ type: ['Address'], required: true, description: 'Their contracts.' }),
    },
    extensions: { items: maxNamed, namedPerRead, findKeys: findTokens },
    resolve: async (_root, args, context, info) => {
      const keys = context.countItems(tokenKeysOf(args, context))
      return (await Promise.all(
        keys.map(
          (key) =>
            resolveKnown({ __typename: 'Token', address: key.address }, key, info) ??
            resolveKeyed(tokenByAddress, key, context, info),
        ),
      )) as StoredValue[]
    },
  }),
}))

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
