import type { Described, ValueOf } from '../../domain/described.ts'
import type { Address } from '../../domain/evm/address.ts'
import { sourceFields } from '../../domain/token/sourced.ts'
import { type TokenHolder, tokenHolder } from '../../domain/token/token.ts'
import { maxHolders } from '../../market/token-source.ts'
import { accountByAddress } from '../../storage/models/keyed.ts'
import { builder } from '../builder.ts'
import { addFields, describedRef } from '../described.ts'
import { checkFirst, connectionRef, cursorArguments, pageOf, placeIn } from '../paging.ts'
import { AccountRef, TokenRef } from '../refs.ts'
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

const TokenHolderConnectionRef = connectionRef<TokenHolder, ValueOf<Described<typeof sourceFields>>>({
  item: TokenHolderRef,
  description: `A page of a token’s largest holders, largest first. At most ${maxHolders} are known for a token.`,
  // The sort key, so that the next page continues correctly when balances have changed.
  placeOf: ({ address, balance }) => `h${balance}.${address}`,
})
addFields(TokenHolderConnectionRef, sourceFields)

builder.objectField(TokenRef, 'holders', (t) =>
  t.field({
    type: TokenHolderConnectionRef,
    nullable: true,
    description: 'The largest holders, largest first; null when no source has any.',
    extensions: { needsOutsideSource: true },
    args: cursorArguments(t.arg, 10, maxHolders),
    resolve: async (parent, { first, after }, context) => {
      checkFirst(first, maxHolders)
      const lastSeen = after == null ? undefined : lastIn(after)
      const sourced = await context.loaders.topHolders.load(tokenKeyOf(parent))
      if (!sourced) return null
      const { value: holders } = sourced
      const remaining = lastSeen ? holders.filter((holder) => isBehind(holder, lastSeen)) : holders
      return { ...sourced, ...pageOf(remaining, first, context) }
    },
  }),
)

/** @throws Refusal InvalidParameter */
function lastIn(cursor: string): TokenHolder {
  const [balance = '', address] = placeIn(cursor, /^h([0-9]{1,78})\.(0x[0-9a-f]{40})$/)
  return { address: address as Address, balance: BigInt(balance) }
}

function isBehind({ address, balance }: TokenHolder, lastSeen: TokenHolder): boolean {
  return balance === lastSeen.balance ? address > lastSeen.address : balance < lastSeen.balance
}
