import { Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { OrderUid } from '../../domain/order/uid.ts'
import {
  accountByAddress,
  affiliateByWallet,
  auctionById,
  closedAuctionById,
  closedSolutionByKey,
  notificationById,
  orderByUid,
  solutionByKey,
  storedToken,
  tradeByPlace,
} from '../../storage/models/keyed.ts'
import type { Keyed } from '../../storage/query/keyed.ts'
import { nodeIdText, readNodeId } from '../../storage/query/node-id.ts'
import { builder } from '../builder.ts'
import type { Context } from '../context/context.ts'
import { requireFeature } from '../context/features.ts'

import { asStored } from '../quote/response.ts'
import { NodeRef } from '../refs.ts'
import { identityOf, resolveKeyed } from '../stored/resolve.ts'
import type { Finds, Found } from '../stored/root.ts'
import type { Environment } from '../stored/stored-field.ts'
import { tokenAt } from '../token/token.ts'

/** How the nodes of one type are found by what stands behind its name in an id. */
interface NodeKind {
  key: RegExp
  find(parts: readonly string[], environment: Environment): Pick<Found, 'keyed' | 'keys'>
}

interface ElsewhereKind {
  key: RegExp
  find(parts: readonly string[], context: Context): Promise<object | null>
}

function kind<Key>(
  key: RegExp,
  keyOf: (...parts: string[]) => Key,
  keyed: Keyed<Key> | ((environment: Environment) => Keyed<Key>),
): NodeKind {
  return {
    key,
    find: (parts, environment) => ({
      keyed: (typeof keyed === 'function' ? keyed(environment) : keyed) as never,
      keys: [keyOf(...parts)],
    }),
  }
}

const hides = ({ hidesCompetitions, restricted }: Environment) => hidesCompetitions === true && !restricted

function withCms<Key>(keyed: Keyed<Key>): (environment: Environment) => Keyed<Key> {
  return (environment) => {
    requireFeature(environment, 'cms')
    return keyed
  }
}

const rowKey = /^([1-9][0-9]{0,17})$/

/** Nodes that no row is read for. */
const elsewhere: Readonly<Record<string, ElsewhereKind>> = {
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

const kinds: Readonly<Record<string, NodeKind>> = {
  Account: kind(/^(0x[0-9a-f]{40})$/, (address) => address as Address, accountByAddress),
  Affiliate: kind(/^(0x[0-9a-f]{40})$/, (wallet) => wallet as Address, withCms(affiliateByWallet)),
  Auction: kind(rowKey, BigInt, (environment) => (hides(environment) ? closedAuctionById : auctionById)),
  Notification: kind(rowKey, BigInt, withCms(notificationById)),
  Order: kind(/^(0x[0-9a-f]{112})$/, (uid) => uid as OrderUid, orderByUid),
  Solution: kind(
    /^([1-9][0-9]{0,17}):([0-9]{1,9})$/,
    (auctionId = '0', uid) => ({ auctionId: BigInt(auctionId), uid: Number(uid) }),
    (environment) => (hides(environment) ? closedSolutionByKey : solutionByKey),
  ),
  Token: kind(
    /^([0-9]{1,9}):(0x[0-9a-f]{40})$/,
    (chainId, address) => ({ chainId: Number(chainId), address: address as Address }),
    storedToken,
  ),
  Trade: kind(
    /^([0-9]{1,9}):([0-9]{1,15}):([0-9]{1,9})$/,
    (chainId, blockNumber, logIndex) => ({
      chainId: Number(chainId),
      blockNumber: Number(blockNumber),
      logIndex: Number(logIndex),
    }),
    tradeByPlace,
  ),
}

NodeRef.implement({
  description: 'What can be found again by an id.',
  fields: (t) => ({
    id: t.id({
      description: nodeIdText,
      resolve: () => {
        throw new TypeError('every type has its own id')
      },
    }),
  }),
  resolveType: (value) => typeNames.get(value) ?? null,
})

/** Which type a value was found as. */
const typeNames = new WeakMap<object, string>()

/** @throws Refusal InvalidParameter */
const finds: Finds = ({ id }: { id: string }, environment) => {
  const stored = partsOf(id, kinds)
  if (stored) return { ...stored.kind.find(stored.parts, environment), typeName: stored.name }
  if (partsOf(id, elsewhere)) return 'elsewhere'
  throw new Refusal('InvalidParameter', 'id must be one that a node was given', { field: 'id' })
}

/** What an id says, if its name is one of these and the rest has its form. */
function partsOf<Kind extends { key: RegExp }>(given: string, named: Readonly<Record<string, Kind>>) {
  const id = readNodeId(given)
  const [name = ''] = id.split(':', 1)
  const kind = Object.hasOwn(named, name) ? named[name] : undefined
  const key = kind?.key.exec(id.slice(name.length + 1))
  return kind && key ? { kind, name, parts: key.slice(1) } : undefined
}

async function findElsewhere(id: string, context: Context): Promise<object | null> {
  const known = partsOf(id, elsewhere)
  const value = known ? await known.kind.find(known.parts, context) : null
  if (value && known) typeNames.set(value, known.name)
  return value
}

builder.queryField('node', (t) =>
  t.field({
    type: NodeRef,
    nullable: true,
    description: 'What has this id; null when it is not known, or hidden.',
    args: { id: t.arg.id({ required: true, description: 'As a node’s id was given out.' }) },
    extensions: { finds },
    resolve: async (_root, { id }, context, info) => {
      const found = finds({ id } as never, context)
      if (!found) return null
      if (found === 'elsewhere') return (await findElsewhere(id, context)) as never
      const [key] = found.keys as [never]
      const value =
        found.typeName === 'Token'
          ? await tokenAt(key, context, info, found.typeName)
          : await resolveKeyed(found.keyed, key, context, info, found.typeName)
      // Of an interface it is the row that says which of its types it is.
      if (value)
        typeNames.set(value, identityOf<{ type?: string } | undefined>(value)?.type ?? found.typeName)
      return value as never
    },
  }),
)
