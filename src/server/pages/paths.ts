import { toAddress } from '../../domain/evm/address.ts'
import { toOrderUid } from '../../domain/order/order.ts'

export const pageFilesPath = '/pages/'
/** Path in the folder of accounts: a worker serves its folder. */
export const workerPath = '/accounts/worker.js'
export const homePath = '/'

interface Kind {
  /** The first part of its path. */
  folder: string
  /** Checks the last part of a path. */
  is(name: string): boolean
  /** Text of the page for another name. */
  fault: string
  rule: string
}

const isAddress = (name: string) => toAddress(name) !== undefined

const addressRule = 'is 0x and 40 digits from 0 to 9 and a to f.'

/** Kinds of pages, by the first part of their path. */
const kinds = {
  account: {
    folder: 'accounts',
    is: isAddress,
    fault: 'There is no such account',
    rule: `The address of an account ${addressRule}`,
  },
  order: {
    folder: 'orders',
    is: (name) => toOrderUid(name) !== undefined,
    fault: 'There is no such order',
    rule: 'The order id (UID) is 0x and 112 digits from 0 to 9 and a to f. Copy it whole.',
  },
  auction: {
    folder: 'auctions',
    is: (name) => /^(0|[1-9]\d{0,15})$/.test(name) && Number.isSafeInteger(Number(name)),
    fault: 'There is no such auction',
    rule: 'Auctions of a network are numbered from 1.',
  },
  token: {
    folder: 'tokens',
    is: isAddress,
    fault: 'There is no such token',
    rule: `The address of a token ${addressRule}`,
  },
  programmatic: {
    folder: 'programmatic',
    is: (name) => /^[\w-]{100,400}$/.test(name),
    fault: 'There is no such programmatic order',
    rule: 'The id is that of GraphQL, about 180 letters and digits. Copy it whole.',
  },
} satisfies Readonly<Record<string, Kind>>

export type PageKind = keyof typeof kinds
export const pageKinds = Object.keys(kinds) as PageKind[]
/** The folders of pages of a kind. */
export const pageFolders = pageKinds.map((kind) => `/${kinds[kind].folder}/`)

/** Pages of lists, by their paths. */
export const listPages = ['orders', 'trades', 'auctions', 'tokens', 'programmatic-orders'] as const
export type ListPage = (typeof listPages)[number]

/** The list at a path, which may end with a slash. */
export const listOf = (path: string): ListPage | undefined =>
  listPages.find((list) => path === `/${list}` || path === `/${list}/`)

/** Pages with a script of their own. */
export const scripts = [...pageKinds, ...listPages, 'home', 'missing'] as const
export type Script = (typeof scripts)[number]

export interface PagePath {
  kind: PageKind
  name: string
  /** Text for an invalid name. */
  fault?: Pick<Kind, 'fault' | 'rule'>
}

/** The page of a path, with or without its subject; undefined for other paths. REST paths are below it. */
export function pageOf(path: string): PagePath | undefined {
  const [, folder = '', name = '', ...rest] = path.split('/')
  const kind = pageKinds.find((each) => folder === kinds[each].folder)
  if (!kind || path === `/${folder}` || rest.length > 1 || rest.some((part) => part !== '')) return undefined
  const row = kinds[kind]
  if (row.is(name)) return { kind, name }
  return rest.length === 0 ? { kind, name, fault: row } : undefined
}
