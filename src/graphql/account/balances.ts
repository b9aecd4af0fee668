import { type Described, safeInt, type ValueOf } from '../../domain/described.ts'
import { type Address, nativeMarker } from '../../domain/evm/address.ts'
import type { TokenBalance } from '../../tokens/balances.ts'
import { builder } from '../builder.ts'
import { tradingOn } from '../context/networks.ts'
import { addFields } from '../described.ts'
import {
  checkFirst,
  connectionRef,
  cursorArguments,
  networkArgument,
  placeIn,
  wrongCursor,
} from '../paging.ts'
import { AccountRef } from '../refs.ts'
import { identityOf } from '../stored/resolve.ts'
import { TokenBalanceRef } from '../token/balances.ts'
import { checkWatched, maxNamedTokens, namedPerRead } from '../token/watched.ts'

const maxPage = 500
/** Objects that one balance counts as: eight of them are one call of the node. */
const weight = 17

const blockField = {
  block: safeInt.orNull('The block that was read; null where there was nothing to read.'),
}

const TokenBalanceConnectionRef = connectionRef<
  TokenBalance & { chainId: number },
  ValueOf<Described<typeof blockField>>
>({
  item: TokenBalanceRef,
  description: 'A page of an account’s balances, all read at one block.',
  placeOf: ({ subject }) => `b${subject.token}`,
  weight,
})
addFields(TokenBalanceConnectionRef, blockField)

builder.objectField(AccountRef, 'balances', (t) =>
  t.field({
    type: TokenBalanceConnectionRef,
    description:
      'Balances now, with what the vault relayer may take: of the tokens that are named, in their order, then of those that the account holds.',
    args: {
      network: networkArgument(t.arg),
      tokens: t.arg({
        type: ['TokenAddress'],
        required: false,
        description: `Contracts, or \`-\` for the chain’s own coin: at most ${maxNamedTokens.toLocaleString('en')}.`,
      }),
      held: t.arg.boolean({
        required: false,
        description:
          'If true, adds the chain’s own coin and the tokens that the account holds, by address, as far as the service follows their transfers (`holderTokens`): up to a minute behind the chain. True unless tokens are named.',
      }),
      ...cursorArguments(t.arg, 10, maxPage),
    },
    async resolve(parent, { network, tokens, held, first, after }, context) {
      const { address: owner } = identityOf<{ address: Address }>(parent)
      const trading = tradingOn(context, network)
      if (tokens) checkWatched(tokens, maxNamedTokens)
      checkFirst(first, maxPage)
      context.proceed()
      const named = [...new Set(tokens ?? [])]
      const found = (held ?? tokens == null) ? [nativeMarker, ...(await trading.heldTokens(owner))] : []
      const list = [...new Set([...named, ...found])]
      const [last] = after == null ? [] : placeIn(after, /^b(0x[0-9a-f]{40})$/)
      const start = last === undefined ? 0 : indexAfter(last as Address, list, named.length)
      const page = list.slice(start, start + first)
      const place = { hasNextPage: list.length > start + first, hasPreviousPage: start > 0 }
      if (page.length === 0) return { block: null, items: [], ...place }
      context.addUnits?.(Math.ceil(page.length / namedPerRead))
      const { block, balances } = await trading.balances(owner, page, context.client)
      const { chainId } = trading.network
      const read = page.map((token, index) => ({
        subject: { owner, token },
        value: balances[index] ?? ('unavailable' as const),
        chainId,
      }))
      return { block, items: context.countItems(read), ...place }
    },
  }),
)

/**
 * Returns the index at which the list continues after a token. A token that the account no longer holds is
 * searched by address among those that are not named. @throws Refusal InvalidParameter
 */
function indexAfter(token: Address, list: readonly Address[], named: number): number {
  const found = list.indexOf(token)
  if (found >= 0) return found + 1
  if (list.length === named) throw wrongCursor()
  const later = list.findIndex((other, index) => index >= named && other !== nativeMarker && other > token)
  return later >= 0 ? later : list.length
}
