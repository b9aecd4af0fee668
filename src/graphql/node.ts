import type { Address } from '../domain/address.ts'
import type { StoredAuction } from '../domain/competition.ts'
import { Refusal } from '../domain/error.ts'
import type { Notification } from '../domain/notification.ts'
import type { Order } from '../domain/order.ts'
import type { Trade } from '../domain/trade.ts'
import type { TokenKey } from '../storage/loaders.ts'
import { isHidden } from './auction.ts'
import { builder } from './builder.ts'
import type { Context } from './context.ts'
import { requireFeature } from './features.ts'
import { NodeRef } from './refs.ts'

/** How the nodes of one type are named, and found by that name. What the database writes itself (`storage/hot`) names them the same. */
interface NodeKind {
  keyOf(value: object): string
  key: RegExp
  find(key: readonly string[], context: Context): Promise<object | null | undefined>
}

interface KindOf<Value> extends Pick<NodeKind, 'key'> {
  keyOf(value: Value): string
  find(key: readonly string[], context: Context): Promise<Value | null | undefined>
}

/** A type's resolvers get its own values and no others. */
function nodeKind<Value extends object>(kind: KindOf<Value>): NodeKind {
  return { ...kind, keyOf: (value) => kind.keyOf(value as Value) }
}

const kinds: Readonly<Record<string, NodeKind>> = {
  Account: nodeKind<{ address: Address }>({
    keyOf: ({ address }) => address,
    key: /^(0x[0-9a-f]{40})$/,
    find: async ([address]) => ({ address: address as Address }),
  }),
  Auction: nodeKind<StoredAuction>({
    keyOf: ({ id }) => String(id),
    key: /^([1-9][0-9]{0,17})$/,
    async find([id = ''], context) {
      const auction = await context.loaders.auction.load(BigInt(id))
      return auction && !(await isHidden(auction, context)) ? auction : null
    },
  }),
  Notification: nodeKind<Notification>({
    keyOf: ({ id }) => id,
    key: /^([1-9][0-9]{0,17})$/,
    async find([id = ''], context) {
      requireFeature(context, 'cms')
      return context.loaders.notification.load(id)
    },
  }),
  Order: nodeKind<Order>({
    keyOf: ({ uid }) => uid,
    key: /^(0x[0-9a-f]{112})$/,
    find: ([uid], { loaders }) => loaders.order.load(uid as Order['uid']),
  }),
  Token: nodeKind<TokenKey>({
    keyOf: ({ chainId, address }) => `${chainId}:${address}`,
    key: /^([0-9]{1,15}):(0x[0-9a-f]{40})$/,
    async find([chainId, address], { loaders }) {
      const key = { chainId: Number(chainId), address: address as Address }
      return (await loaders.token.load(key)) && key
    },
  }),
  Trade: nodeKind<Trade>({
    keyOf: ({ chainId, blockNumber, logIndex }) => `${chainId}:${blockNumber}:${logIndex}`,
    key: /^([0-9]{1,9}):([0-9]{1,15}):([0-9]{1,9})$/,
    find: ([chainId, blockNumber, logIndex], { loaders }) =>
      loaders.trade.load({
        chainId: Number(chainId),
        blockNumber: Number(blockNumber),
        logIndex: Number(logIndex),
      }),
  }),
}

/** Which type a value was found as. */
const typeNames = new WeakMap<object, string>()

NodeRef.implement({
  description: 'What can be found again by an id.',
  fields: (t) => ({
    id: t.id({
      description: 'For node, and for caches: unique among all nodes, the same for ever, and opaque.',
      resolve: (value, _args, _context, { parentType: { name } }) => {
        const kind = kinds[name]
        if (!kind) throw new TypeError(`${name} has no ids`)
        return `${name}:${kind.keyOf(value)}`
      },
    }),
  }),
  resolveType: (value) => typeNames.get(value) ?? null,
})

builder.queryField('node', (t) =>
  t.field({
    type: NodeRef,
    nullable: true,
    description: 'What has this id; null when it is not known, or hidden.',
    args: { id: t.arg.id({ required: true, description: 'As a node’s id was given out.' }) },
    resolve: async (_root, { id }, context) => {
      const [name = ''] = id.split(':', 1)
      const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
      const key = kind?.key.exec(id.slice(name.length + 1))
      if (!kind || !key) {
        throw new Refusal('InvalidParameter', 'id must be one that a node was given', { field: 'id' })
      }
      const value = await kind.find(key.slice(1), context)
      if (!value) return null
      typeNames.set(value, name)
      return value
    },
  }),
)
