import { Refusal } from '../domain/errors/error.ts'
import { toAddress } from '../domain/evm/address.ts'
import { toOrderUid } from '../domain/order/order.ts'
import { tokenByAddress } from '../storage/models/keyed.ts'
import { formatNodeId } from '../storage/query/node-id.ts'
import { builder } from './builder.ts'
import { findStored, isRowChain, noteType, typeNameOf } from './node.ts'
import { AccountRef, AuctionRef, OrderRef, TokenRef } from './refs.ts'
import { entityKeys, subgraphSdl } from './sdl.ts'
import type { Environment } from './stored/collect.ts'
import type { Entity, FindEntities } from './stored/expose.ts'
import { resolveKeyed } from './stored/resolve.ts'

/** Entities that one request may name. */
const maxNamed = 128
/** This many entities count as one read; each counts as a read if a field calls an outside source. */
const namedPerRead = 8

type EntityName = keyof typeof entityKeys

/** Parses a field of a key; undefined if it is malformed. */
type KeyPart = (value: unknown) => string | undefined

const textPart =
  (parse: (text: string) => string | undefined): KeyPart =>
  (value) =>
    typeof value === 'string' ? parse(value) : undefined

const addressPart = { address: { parse: textPart(toAddress), expected: 'an address' } }
const chainIdPart: KeyPart = (value) =>
  typeof value === 'number' && isRowChain(value) ? String(value) : undefined

/** The fields of each type's plain key, in the order of the parts of its id. */
const plainKeys: Readonly<
  Record<EntityName, Readonly<Record<string, { parse: KeyPart; expected: string }>>>
> = {
  Account: addressPart,
  Auction: {},
  Order: { uid: { parse: textPart(toOrderUid), expected: 'an order UID' } },
  Token: { chainId: { parse: chainIdPart, expected: 'a chain id' }, ...addressPart },
}

function malformed(field: string, expectation: string): Refusal {
  return new Refusal('InvalidParameter', `${field} must be ${expectation}`, { field })
}

/** The entity that a representation names; null if its network is not served. @throws Refusal */
function entityOf(representation: unknown, index: number, environment: Environment): Entity | null {
  const at = `representations[${index}]`
  if (typeof representation !== 'object' || representation === null || Array.isArray(representation))
    throw malformed(at, 'an object')
  const members = new Map(Object.entries(representation))
  const name = members.get('__typename')
  if (typeof name !== 'string' || !isEntityName(name))
    throw malformed(`${at}.__typename`, `one of ${Object.keys(entityKeys).join(', ')}`)
  const found = findStored(name, idOf(name, members, at), environment)
  if (!found) throw malformed(`${at}.id`, `the id of a node of the type ${name}`)
  const [key] = found.keys
  if (name !== 'Token') return { typeName: name, keyed: found.keyed, key }
  const { chainId } = key as { chainId: number }
  return environment.networks.byChainId(chainId) ? { typeName: name, keyed: tokenByAddress, key } : null
}

const isEntityName = (name: string): name is EntityName => Object.hasOwn(entityKeys, name)

/** The node id that a representation has, or that its plain key makes. */
function idOf(name: EntityName, members: ReadonlyMap<string, unknown>, at: string): string {
  const plain = Object.entries(plainKeys[name])
  const id = members.get('id')
  if (id !== undefined || plain.length === 0) {
    if (typeof id !== 'string') throw malformed(`${at}.id`, 'a string')
    return id
  }
  const parts = plain.map(([field, { parse, expected }]) => {
    const part = parse(members.get(field))
    if (part === undefined) throw malformed(`${at}.${field}`, expected)
    return part
  })
  return formatNodeId(name, ...parts)
}

/** @throws Refusal InvalidParameter */
function findNamed(representations: readonly unknown[], environment: Environment): (Entity | null)[] {
  if (representations.length > maxNamed) {
    throw new Refusal('InvalidParameter', `representations must name at most ${maxNamed} entities`, {
      field: 'representations',
    })
  }
  return representations.map((each, index) => entityOf(each, index, environment))
}

const findEntities: FindEntities = (
  { representations }: { representations: readonly unknown[] },
  environment,
) => findNamed(representations, environment)

builder.scalarType('_Any', {
  extensions: { codegenScalarType: 'unknown' },
  description:
    'A representation of an entity: an object with `__typename` and the fields of one of the type’s keys.',
  parseValue: (value) => value,
  serialize: (value) => value,
})

const EntityUnion = builder.unionType('_Entity', {
  description: 'A type that has keys.',
  types: [AccountRef, AuctionRef, OrderRef, TokenRef],
  resolveType: typeNameOf,
})

const ServiceRef = builder.objectRef<object>('_Service').implement({
  description: 'This service as a subgraph.',
  fields: (t) => ({
    sdl: t.string({
      description: 'Its schema for the composition of a supergraph, with the keys of entities.',
      extensions: { weight: 1_000 },
      resolve: (_service, _args, _context, { schema }) => subgraphSdl(schema),
    }),
  }),
})

builder.queryFields((t) => ({
  _service: t.field({
    type: ServiceRef,
    description: 'This service as a subgraph, for the composition of a supergraph.',
    resolve: () => ({}),
  }),
  _entities: t.field({
    type: [EntityUnion],
    nullable: { list: false, items: true },
    description: `Entities by their keys, at most ${maxNamed}, as they were named; null for one that is not known, or hidden. For gateways.`,
    args: {
      representations: t.arg({ type: ['_Any'], required: true, description: 'What names the entities.' }),
    },
    extensions: { namedPerRead, findEntities },
    resolve: (_root, args, context, info) =>
      Promise.all(
        findNamed(args.representations, context).map(async (entity) => {
          if (!entity) return null
          const { keyed, key, typeName } = entity
          return noteType(await resolveKeyed(keyed, key, context, info, typeName), typeName)
        }),
      ),
  }),
}))
