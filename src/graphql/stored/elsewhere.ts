import type { Address } from '../../domain/evm/address.ts'
import type { Keyed } from '../../storage/query/statement.ts'
import type { Context } from '../context/context.ts'
import { isFollowing, type TradingNetworks, type TradingServices } from '../context/networks.ts'
import type { Environment, OperationScope } from './collect.ts'
import { listedFrom, type PreparedObject } from './reading.ts'

/** An account, and the networks whose orders of it are named. */
export interface Owned {
  owner: Address
  networks: readonly TradingServices[]
}

/** How objects of a key that are not stored, or lack orders, are read from followed order books. */
interface Elsewhere<Key> {
  /** Reads an object that is not stored. @returns whether it is to be read again */
  readMissing?(key: Key, context: Context): Promise<boolean>
  /** The account whose orders the object is made of. */
  ownerOf?(key: Key, networks: TradingNetworks): Owned
}

const readers = new Map<Keyed<never>, Elsewhere<never>>()

/** Sets it for all ways to name such an object: by a node’s id, by a gateway, in the result of a mutation. */
export function elsewhere<Key>(keyed: Keyed<Key>, reader: Elsewhere<Key>): void {
  readers.set(keyed, reader)
}

const readerOf = <Key>(keyed: Keyed<Key>) => readers.get(keyed as Keyed<never>) as Elsewhere<Key> | undefined

/** Reports whether an object is not stored, and may be at an order book that a network follows. */
export const mayBeElsewhere = (keyed: Keyed<never>, { networks }: Environment): boolean =>
  readers.get(keyed)?.readMissing !== undefined && isFollowing(networks)

/** Reads an object that is not stored. @returns whether it is to be read again @throws Outage; Refusal */
export async function readElsewhere<Key>(keyed: Keyed<Key>, key: Key, context: Context): Promise<boolean> {
  return (await readerOf(keyed)?.readMissing?.(key, context)) ?? false
}

/** The lists that a selection of an object has: only the key of an account has lists of its own orders. */
export function ownedBy<Key>(
  { keyed, key }: { keyed: Keyed<Key>; key: Key },
  prepared: PreparedObject,
  scope: OperationScope,
  environment: Environment,
): Owned {
  const owned = readerOf(keyed)?.ownerOf?.(key, environment.networks)
  return owned ?? { owner: key as Address, networks: listedFrom(prepared, scope, environment) }
}

/** Reports whether orders of the account are to be read first. */
export const isLacking = ({ owner, networks }: Owned): boolean =>
  networks.some(({ hasReadAccount }) => hasReadAccount?.(owner) === false)

/** Reads the orders of an account. @returns whether any were read now @throws Outage; Refusal */
export async function readOwned({ owner, networks }: Owned, client: string): Promise<boolean> {
  const read = await Promise.all(networks.map(({ readAccount }) => readAccount?.(owner, client)))
  return read.includes(true)
}
