import type { Rows } from './rows.ts'

/** Arguments of all fields, by name. */
export interface Arguments {
  account?: string
  address?: string
  addresses?: string[]
  after?: string | null
  before?: string | null
  code?: string
  filter?: OrderConditions | null
  first?: number | null
  hash?: string
  id?: string | number
  last?: number | null
  orderUid?: string | null
  owner?: string | null
  solver?: string | null
  status?: string | null
  uid?: string
  uids?: string[]
  wallet?: string
}

export interface OrderConditions {
  statuses?: string[] | null
  pair?: { sellToken: string; buyToken: string } | null
  kind?: string | null
  class?: string | null
  appCode?: string | null
  createdFrom?: string | null
  createdUntil?: string | null
  /** Of notifications. */
  types?: string[] | null
  orderUid?: string | null
  from?: string | null
  until?: string | null
  unread?: boolean | null
}

/** The network, the rows and the time of a request. */
export interface GraphqlParams {
  rows: Rows
  chainId: number
  wrappedNative: string
  /** Unix seconds. */
  now: number
}

/** Computes each field of a type from its row. */
export type Fields<Source> = Record<string, Resolver<Source>['resolve']>

/** The way to a field. A method, so that a list can hold those of different rows. */
interface Resolver<Source> {
  resolve(source: Source, args: Arguments, params: GraphqlParams): unknown
}

/** Fields that equal the column of the same name. */
export function columns<Source>(...names: readonly (keyof Source & string)[]): Fields<Source> {
  return Object.fromEntries(names.map((name) => [name, (source: Source) => source[name]]))
}

/** `presignaturePending` as GraphQL spells it. */
export const member = (word: string) => word.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()

/** RFC 3339, with milliseconds where there are any. */
export const time = (date: Date | null) => date?.toISOString().replace('.000Z', 'Z') ?? null

type Key = readonly (number | string)[]

/** Compares by the first part that differs. */
export function byKey<Item>(keyOf: (item: Item) => Key, direction: 1 | -1 = 1) {
  return (left: Item, right: Item) => direction * compareKeys(keyOf(left), keyOf(right))
}

export function compareKeys(left: Key, right: Key): number {
  const at = left.findIndex((part, index) => part !== right[index])
  const [one, other] = [left[at], right[at]]
  if (at < 0 || one === undefined || other === undefined) return 0
  return one < other ? -1 : 1
}

/** A node’s id: its type and parts, opaque. */
export const idOf = (type: string, ...parts: (number | string)[]) =>
  Buffer.from([type, ...parts].join(':')).toString('base64url')

export function only<Item>(items: readonly Item[]): Item | null {
  return items[0] ?? null
}
