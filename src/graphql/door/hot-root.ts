import type { SelectionSetNode } from 'graphql'
import type { Services } from '../context.ts'
import type { Fragments } from './hot-selection.ts'

/** JSON text of a root field, from its coerced arguments; `undefined` when the ordinary way has to answer. */
export type RootAnswer = (args: Record<string, unknown>, services: Services) => Promise<string | undefined>

/** A root field that can be hot: from what is selected of it, `undefined` when this selection is not. */
export type HotRoot = (sets: readonly SelectionSetNode[], fragments: Fragments) => RootAnswer | undefined

/** null for all networks; `undefined` for one that is not here. */
export function hotChainId({ byName }: Services['desks'], network: unknown): number | null | undefined {
  return network == null ? null : byName(String(network))?.network.chainId
}
