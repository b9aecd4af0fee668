import { parseAmount } from '../../domain/amount.ts'
import { toAddress } from '../../domain/evm/address.ts'
import type { Clock } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import type { TokenHolder } from '../../domain/token/token.ts'
import { isObject } from '../../outside/http-json.ts'
import { tokenNonsense } from '../token-answer.ts'
import { maxHolders } from '../token-source.ts'

/** A service that lists the holders of tokens, for one network. */
export interface HolderProvider {
  /** From the settings. */
  name: string
  /** Base: paths are put behind its own. Its usual one without it. */
  url?: string | undefined
  apiKey: string
  network: Pick<Network, 'chainId'>
  now: Clock
}

/** A holder as a provider spells it. */
export interface GivenHolder {
  address: unknown
  balance: unknown
}

/**
 * The greatest first, of equals by address. One entry that makes no sense spoils the list: what else it says
 * is then no better.
 * @returns undefined when nobody holds anything
 * @throws Outage of the token
 */
export function toHolders(name: string, given: readonly GivenHolder[]): readonly TokenHolder[] | undefined {
  const holders = given.map((holder) => toHolder(name, holder))
  if (new Set(holders.map(({ address }) => address)).size < holders.length)
    throw tokenNonsense(name, 'a holder is listed twice')
  const held = holders.filter(({ balance }) => balance > 0n).sort(bySize)
  return held.length === 0 ? undefined : held.slice(0, maxHolders)
}

function toHolder(name: string, { address: text, balance: given }: GivenHolder): TokenHolder {
  const address = typeof text === 'string' && text.startsWith('0x') ? toAddress(text) : undefined
  if (!address) throw tokenNonsense(name, 'a holder has no address')
  // A number that is not whole, or too large to be exact, is no longer what it was.
  const balance = parseAmount(Number.isSafeInteger(given) ? String(given) : given)
  if ('fault' in balance) throw tokenNonsense(name, 'a balance is no amount of atoms')
  return { address, balance: balance.amount }
}

function bySize(a: TokenHolder, b: TokenHolder): number {
  if (a.balance !== b.balance) return a.balance > b.balance ? -1 : 1
  return a.address < b.address ? -1 : 1
}

/** The entries of a list. @throws Outage when it is none */
export function entriesIn(name: string, list: unknown): Record<string, unknown>[] {
  if (Array.isArray(list) && list.every(isObject)) return list
  throw tokenNonsense(name, 'it is no list of holders')
}
