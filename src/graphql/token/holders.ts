import { Refusal } from '../../domain/errors/error.ts'
import { sourceFields } from '../../domain/token/sourced.ts'
import { type TokenHolder, tokenHolder } from '../../domain/token/token.ts'
import { maxHolders } from '../../market/token-source.ts'
import { accountByAddress } from '../../storage/models/keyed.ts'
import { builder } from '../builder.ts'
import { addFields, describedRef } from '../described.ts'
import { checkFirst, cursorArguments, pageInfoField } from '../paging.ts'
import { AccountRef, TokenHolderConnectionRef, TokenHolderEdgeRef, TokenRef } from '../refs.ts'
import { resolveKeyed, type StoredValue } from '../stored/resolve.ts'
import { tokenKeyOf } from './token.ts'

const TokenHolderRef = describedRef(tokenHolder)

builder.objectField(TokenHolderRef, 'account', (t) =>
  t.field({
    type: AccountRef,
    description: 'The holder, with its orders, trades and notifications.',
    resolve: async ({ address }, _args, context, info) =>
      (await resolveKeyed(accountByAddress, address, context, info)) as StoredValue,
  }),
)

TokenHolderEdgeRef.implement({
  description: 'A holder in a page.',
  fields: (t) => ({
    cursor: t.string({ description: 'Continues behind this holder.', resolve: cursorOf }),
    node: t.field({ type: TokenHolderRef, description: 'The holder.', resolve: (holder) => holder }),
  }),
})

TokenHolderConnectionRef.implement({
  description: `A page of a token’s largest holders, largest first. At most ${maxHolders} are known for a token.`,
  fields: (t) => ({
    edges: t.field({
      type: [TokenHolderEdgeRef],
      description: 'Holders with their cursors.',
      resolve: ({ holders }) => holders,
    }),
    nodes: t.field({
      type: [TokenHolderRef],
      description: 'The holders alone.',
      resolve: ({ holders }) => holders,
    }),
    pageInfo: t.field({
      ...pageInfoField,
      resolve: ({ holders, hasNextPage }) => {
        const [first] = holders
        const last = holders.at(-1)
        return {
          page: {
            hasNextPage,
            hasPreviousPage: false,
            startCursor: first ? cursorOf(first) : null,
            endCursor: last ? cursorOf(last) : null,
          },
        }
      },
    }),
  }),
})
addFields(TokenHolderConnectionRef, sourceFields)

builder.objectField(TokenRef, 'holders', (t) =>
  t.field({
    type: TokenHolderConnectionRef,
    nullable: true,
    description: 'The largest holders, largest first; null when no source has any.',
    extensions: { needsOutsideSource: true },
    args: {
      ...cursorArguments(t.arg, 10, maxHolders),
    },
    resolve: async (parent, { first, after }, { loaders, countItems }) => {
      const token = tokenKeyOf(parent)
      checkFirst(first, maxHolders)
      const lastSeen = after == null ? undefined : parseCursor(after)
      const sourcedValue = await loaders.topHolders.load(token)
      if (!sourcedValue) return null
      const remaining = lastSeen
        ? sourcedValue.value.filter((holder) => isBehind(holder, lastSeen))
        : sourcedValue.value
      return {
        ...sourcedValue,
        holders: countItems(remaining.slice(0, first)),
        hasNextPage: remaining.length > first,
      }
    },
  }),
)

/**
 * Opaque to clients. Holds the sort key, so that the next page continues correctly when balances have
 * changed.
 */
function cursorOf({ address, balance }: TokenHolder): string {
  return Buffer.from(`h${balance}.${address}`).toString('base64url')
}

/** @throws Refusal InvalidParameter */
function parseCursor(cursor: string): TokenHolder {
  const match = /^h([0-9]{1,78})\.(0x[0-9a-f]{40})$/.exec(Buffer.from(cursor, 'base64url').toString())
  const [, balance, address] = match ?? []
  if (!balance || !address)
    throw new Refusal('InvalidParameter', 'after must be a cursor of this list', { field: 'after' })
  return { address: address as TokenHolder['address'], balance: BigInt(balance) }
}

function isBehind({ address, balance }: TokenHolder, lastSeen: TokenHolder): boolean {
  return balance === lastSeen.balance ? address > lastSeen.address : balance < lastSeen.balance
}
