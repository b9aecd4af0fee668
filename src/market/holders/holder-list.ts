import { parseAmount } from '../../domain/amount.ts'
import { toAddress } from '../../domain/evm/address.ts'
import type { Clock } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import type { TokenHolder } from '../../domain/token/token.ts'
import { isObject } from '../../outside/http-json.ts'
import { maxHolders, tokenNonsense } from '../token-source.ts'

/** A service that lists the holders of tokens, for one network. */
export interface HolderProvider {
  /** The name from the settings. */
  name: string
  /** The base URL: paths are appended to its path. The provider's public one by default. */
  url?: string | undefined
  apiKey: string
  network: Pick<Network, 'chainId'>
  now: Clock
}

/** A holder as a provider sends it, not yet checked. */
interface ListedHolder {
  address: unknown
  balance: unknown
}

/**
 * Checks the holders and sorts them by balance, largest first, then by address. One invalid entry invalidates
 * the whole list.
 * @returns undefined if no balance is positive
 * @throws Outage of the token
 */
export function toHolders(name: string, listed: readonly ListedHolder[]): readonly TokenHolder[] | undefined {
  const holders = listed.map((holder) => toHolder(name, holder))
  if (new Set(holders.map(({ address }) => address)).size < holders.length)
    throw tokenNonsense(name, 'a holder is listed twice')
  const held = holders.filter(({ balance }) => balance > 0n).sort(byBalance)
  return held.length === 0 ? undefined : held.slice(0, maxHolders)
}

function toHolder(name: string, { address: addressText, balance: atoms }: ListedHolder): TokenHolder {
  const address = typeof addressText === 'string' ? toAddress(addressText) : undefined
  if (!address) throw tokenNonsense(name, 'a holder has no address')
  // A JSON number beyond the safe integers may have lost digits: `parseAmount` refuses numbers.
  const balance = parseAmount(Number.isSafeInteger(atoms) ? String(atoms) : atoms)
  if ('fault' in balance) throw tokenNonsense(name, 'a balance is not an amount of atoms')
  return { address, balance: balance.amount }
}

function byBalance(a: TokenHolder, b: TokenHolder): number {
  if (a.balance !== b.balance) return a.balance > b.balance ? -1 : 1
  return a.address < b.address ? -1 : 1
}

/** The entries of a list. @throws Outage if it is not a list of objects */
export function entriesIn(name: string, list: unknown): Record<string, unknown>[] {
  if (Array.isArray(list) && list.every(isObject)) return list
  throw tokenNonsense(name, 'it is not a list of holders')
}
