import { Refusal } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import type { OrderUid } from '../domain/order/order.ts'
import {
  accountByAddress,
  affiliateByWallet,
  auctionById,
  notificationById,
  orderByUid,
  programmaticOrderByKey,
  settlementByLogPosition,
  solutionByKey,
  storedToken,
  type TokenKey,
  tradeByLogPosition,
} from '../storage/models/keyed.ts'
import { nodeIdText, readNodeId } from '../storage/query/node-id.ts'
import type { Keyed } from '../storage/query/statement.ts'
import { builder } from './builder.ts'
import { requireFeature } from './context/access.ts'
import type { Context } from './context/context.ts'

import { asStored } from './quote/response.ts'
import { NodeRef } from './refs.ts'
import type { Environment } from './stored/collect.ts'
import type { FindKeys, KeyLookup } from './stored/expose.ts'
import { identityOf, resolveKeyed } from './stored/resolve.ts'
import { tokenAt } from './token/token.ts'

/** How nodes of one stored type are found by the part of the id behind the type's name. */
interface StoredKind {
  key: RegExp
  find(parts: readonly string[], environment: Environment): Pick<KeyLookup, 'keyed' | 'keys'>
}

/** How nodes of one type are found without reading a row. */
interface ServiceKind {
  key: RegExp
  find(parts: readonly string[], context: Context): Promise<object | null>
}

function storedKind<Key>(
  key: RegExp,
  keyOf: (...parts: string[]) => Key,
  keyed: Keyed<Key> | ((environment: Environment) => Keyed<Key>),
): StoredKind {
  return {
    key,
    find: (parts, environment) => ({
      keyed: typeof keyed === 'function' ? keyed(environment) : keyed,
      keys: [keyOf(...parts)],
    }),
  }
}

function requireCmsFor<Key>(keyed: Keyed<Key>): (environment: Environment) => Keyed<Key> {
  return (environment) => {
    requireFeature(environment, 'cms')
    return keyed
  }
}

/** Chain ids that rows have, which are integers of 32 bits. */
const chainIdPattern = /^([1-9][0-9]{0,8}|1[0-9]{9}|20[0-9]{8})$/
/** Its text without the end. */
const chainIdStart = chainIdPattern.source.slice(0, -1)

/** Reports whether rows can have this chain id. */
export const isRowChain = (chainId: number): boolean => chainIdPattern.test(String(chainId))

/** The position of a log. */
const rowPosition = new RegExp(`${chainIdStart}:([0-9]{1,15}):([0-9]{1,9})$`)
const rowPositionOf = (chainId?: string, blockNumber?: string, logIndex?: string) => ({
  chainId: Number(chainId),
  blockNumber: Number(blockNumber),
  logIndex: Number(logIndex),
})

/** Row keys of auctions reach beyond 18 digits: see `domain/auction/key.ts`. */
const rowKey = /^([1-9][0-9]{0,17}|[1-4][0-9]{18})$/

const serviceKinds: Readonly<Record<string, ServiceKind>> = {
  Network: {
    key: /^([1-9][0-9]{0,14})$/,
    find: async ([chainId], { networks }) => networks.byChainId(Number(chainId))?.network ?? null,
  },
  Quote: {
    key: /^([1-9][0-9]{0,14}):([1-9][0-9]{0,17}):(0x[0-9a-f]{40})$/,
    async find([chainId, id = '', from], { networks }) {
      const reply = await networks.byChainId(Number(chainId))?.storedQuote(BigInt(id), from as Address)
      return reply ? asStored(reply) : null
    },
  },
}

const storedKinds: Readonly<Record<string, StoredKind>> = {
  Account: storedKind(/^(0x[0-9a-f]{40})$/, (address) => address as Address, accountByAddress),
  Affiliate: storedKind(
    /^(0x[0-9a-f]{40})$/,
    (wallet) => wallet as Address,
    requireCmsFor(affiliateByWallet),
  ),
  Auction: storedKind(rowKey, BigInt, auctionById),
  Notification: storedKind(rowKey, BigInt, requireCmsFor(notificationById)),
  Order: storedKind(/^(0x[0-9a-f]{112})$/, (uid) => uid as OrderUid, orderByUid),
  ProgrammaticOrder: storedKind(
    new RegExp(`${chainIdStart}:(0x[0-9a-f]{40}):(0x[0-9a-f]{64})$`),
    (chainId, owner, hash) => ({ chainId: Number(chainId), owner: owner as Address, hash: hash as Bytes32 }),
    programmaticOrderByKey,
  ),
  Settlement: storedKind(rowPosition, rowPositionOf, settlementByLogPosition),
  Solution: storedKind(
    /^([1-9][0-9]{0,17}|[1-4][0-9]{18}):([0-9]{1,9})$/,
    (auctionId = '0', uid) => ({ auctionId: BigInt(auctionId), uid: Number(uid) }),
    solutionByKey,
  ),
  Token: storedKind(
    new RegExp(`${chainIdStart}:(0x[0-9a-f]{40})$`),
    (chainId, address) => ({ chainId: Number(chainId), address: address as Address }),
    storedToken,
  ),
  Trade: storedKind(rowPosition, rowPositionOf, tradeByLogPosition),
}

NodeRef.implement({
  description: 'An object that can be found again by its id.',
  fields: (t) => ({
    id: t.id({
      description: nodeIdText,
      resolve: () => {
        throw new TypeError('every type has its own id')
      },
    }),
  }),
  resolveType: typeNameOf,
})

/** The type that each value was found as; `resolveType` needs it. */
const typeNames = new WeakMap<object, string>()

export function typeNameOf(value: object): string | null {
  return typeNames.get(value) ?? null
}

/** Notes the type that a value was found as. */
export function noteType<Value extends object>(value: Value | null, name: string): Value | null {
  if (value) typeNames.set(value, name)
  return value
}

/** How a stored object is read by its id; undefined if the id is not one of this type. @throws Refusal */
export function findStored(name: string, id: string, environment: Environment) {
  const stored = parseId(id, storedKinds)
  return stored?.name === name ? stored.kind.find(stored.parts, environment) : undefined
}

/** @throws Refusal InvalidParameter */
const findKeys = ({ id }: { id: string }, environment: Environment): ReturnType<FindKeys> => {
  const stored = parseId(id, storedKinds)
  if (stored) return { ...stored.kind.find(stored.parts, environment), typeName: stored.name }
  if (parseId(id, serviceKinds)) return 'not stored'
  throw new Refusal('InvalidParameter', 'id must be one that a node was given', { field: 'id' })
}

/** Kind, type name and key parts of an id; undefined for other types and for malformed keys. */
function parseId<Kind extends { key: RegExp }>(nodeId: string, kinds: Readonly<Record<string, Kind>>) {
  const id = readNodeId(nodeId)
  const [name = ''] = id.split(':', 1)
  const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
  const key = kind?.key.exec(id.slice(name.length + 1))
  return kind && key ? { kind, name, parts: key.slice(1) } : undefined
}

async function findByService(id: string, context: Context): Promise<object | null> {
  const parsed = parseId(id, serviceKinds)
  const value = parsed ? await parsed.kind.find(parsed.parts, context) : null
  return parsed ? noteType(value, parsed.name) : null
}

builder.queryField('node', (t) =>
  t.field({
    type: NodeRef,
    nullable: true,
    description: 'The object with this id; null if it is not known, or hidden.',
    args: { id: t.arg.id({ required: true, description: 'The id of a node, as it was returned.' }) },
    extensions: { findKeys },
    resolve: async (_root, { id }, context, info) => {
      const lookup = findKeys({ id }, context)
      if (!lookup) return null
      if (lookup === 'not stored') return findByService(id, context)
      const [key] = lookup.keys
      const value =
        lookup.typeName === 'Token'
          ? await tokenAt(key as TokenKey, context, info, lookup.typeName)
          : await resolveKeyed(lookup.keyed, key, context, info, lookup.typeName)
      // The row of an interface names the concrete type.
      const type = value && identityOf<{ type?: string } | undefined>(value)?.type
      return noteType(value, type ?? lookup.typeName)
    },
  }),
)
