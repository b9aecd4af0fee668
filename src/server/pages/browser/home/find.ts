import type { ExplainedError } from '../../../../domain/errors/error-explanations.ts'
import type { ForeignError } from '../../../../domain/errors/foreign-errors.ts'
import { type Meaning, meaningOf } from '../../../../domain/search/meaning.ts'
import {
  type FoundProgrammatic,
  programmaticOf,
  programmaticOfUid,
} from '../../../../domain/search/programmatic.ts'
import { mayBeKey } from '../../../../domain/search/secret.ts'
import { type FoundToken, tokensNamed, tokensOfWord } from '../../../../domain/search/tokens.ts'
import type { Topic } from '../../../../domain/search/topics.ts'
import { mistakeIn, type SignatureMistake } from '../../../../domain/signing/signature-mistake.ts'
import { queryService } from '../ask.ts'
import { auctionPath, serviceUrl } from '../root.ts'
import { symbolOf } from '../view/amounts.ts'
import { type Contract, contractOf, type NetworkContracts } from '../view/contracts.ts'
import { documents } from './documents.ts'

/** Hex names in a text besides its words, by the number of digits. */
interface Named {
  order?: string | undefined
  transaction?: string | undefined
  /** Addresses, without the service’s own contracts. */
  addresses: string[]
  contracts: (Contract & { address: string })[]
  /** The actual and the required signer, by the text, which may be written by a stranger. */
  signer?: { signed: string; owner: string } | undefined
  /** A signing mistake: then the right account signed, and the signer in the text is no real account. */
  mistake?: SignatureMistake | undefined
}

/** @param networks empty if they are unknown: their contracts then count as accounts */
export function namedIn(text: string, networks: readonly NetworkContracts[]): Named {
  const parts = text.toLowerCase().split(/[^0-9a-fx]+/)
  const ofLength = (length: number) => {
    const hexes = parts.map((part) => part.replace(/^0x/, ''))
    return [...new Set(hexes.filter((hex) => hex.length === length && !hex.includes('x')))].map(
      (hex) => `0x${hex}`,
    )
  }
  const all = ofLength(40).map((address) => ({ address, contract: contractOf(address, networks) }))
  const signer = signerIn(text)
  const mistake = mistakeIn(text)
  const accounts = all.flatMap(({ address, contract }) => (contract ? [] : [address]))
  return {
    order: ofLength(112)[0],
    transaction: ofLength(64)[0],
    addresses: mistake === undefined ? accounts : accounts.filter((address) => address !== signer?.signed),
    contracts: all.flatMap(({ address, contract }) => (contract ? { ...contract, address } : [])),
    ...(mistake === undefined ? { signer } : { mistake }),
  }
}

/** Hex with missing or surplus digits, in a text without a whole name. */
function cutIn(text: string): { digits?: number } | undefined {
  const [, digits = '', dots] = /\b0x([\da-f]{3,}|(?=…|\.\.))(…|\.\.)?/i.exec(text) ?? []
  if (dots !== undefined) return {}
  return digits === '' ? undefined : { digits: digits.length }
}

/** The signers in the message of a wrong signature. */
function signerIn(text: string): Named['signer'] {
  const [, signed, owner] =
    /(?:recovers to|signer is) (0x[\da-f]{40}), (?:from is|the order belongs to|the owner is) (0x[\da-f]{40})/i.exec(
      text,
    ) ?? []
  return signed && owner ? { signed: signed.toLowerCase(), owner: owner.toLowerCase() } : undefined
}

type Plain = Exclude<Meaning, { kind: 'errors' | 'terms' | 'topics' | 'tokens' | 'auction' | 'nothing' }>

export type SearchResult =
  | Plain
  /** @param tokens tokens of the same name */
  | (Extract<Meaning, { kind: 'terms' | 'topics' }> & { tokens?: FoundToken[] })
  | { kind: 'page'; path: string }
  /** @param auction set if the whole text is a number */
  | {
      kind: 'errors'
      foreign?: ForeignError
      errors: ExplainedError[]
      named: Named
      auction?: number | undefined
    }
  /** Several owners have a programmatic order of one hash, or one transaction created several. */
  | { kind: 'programmatic'; orders: FoundProgrammatic[] }
  | { kind: 'orders'; orders: { uid: string; text: string }[]; auctions: { id: number; network: string }[] }
  /** @param groups the tokens for the one name, or for each of two */
  | { kind: 'tokens'; groups: FoundToken[][]; topics: Topic[] }
  /** @param digits their number; left out if dots replace some */
  | { kind: 'cut'; digits?: number }
  /** A transaction that may be a private key: it is not sent before the reader says so. */
  | { kind: 'unasked'; hash: string }
  /** @param mayBeKey true if the whole text has the form of a private key too */
  | { kind: 'nothing'; text?: string; mayBeKey?: boolean }

/**
 * Finds the subject of a pasted text, which may contain it, such as a page's address or an error text.
 * @param isSent true for a text that the address of the page has already sent
 */
export async function find(text: string, isSent = false): Promise<SearchResult> {
  const named = namedIn(text, [])
  const { order, transaction, addresses } = named
  const isBeside = (order ?? transaction ?? addresses[0]) !== undefined
  const meaning = await meaningOf(text, { isBeside, settings: readSettings })
  if (meaning.kind === 'secret') return meaning
  if (meaning.kind === 'auction') return { kind: 'page', path: auctionPath(meaning.id) }
  const auction = /^\s*\d{1,15}\s*$/.test(text) ? Number(text) : undefined
  if (meaning.kind === 'errors') return { ...meaning, named: await withContracts(named, text), auction }
  if (order !== undefined) return findOrder(order)
  if (transaction !== undefined) return findHash(transaction, mayBeKey(text), isSent)
  if (addresses[0] !== undefined) return findAddress(addresses[0])
  if (auction !== undefined) return { kind: 'page', path: auctionPath(auction) }
  const cut = cutIn(text)
  if (cut && meaning.kind !== 'terms') return { kind: 'cut', ...cut }
  if (meaning.kind === 'tokens') return findTokens(meaning)
  return meaning.kind === 'terms' || meaning.kind === 'topics' ? withTokens(meaning) : meaning
}

let settings: Promise<Record<string, string>> | undefined

/** Reads the settings from their page of the documentation: none if the service does not give it out. */
function readSettings(): Promise<Record<string, string>> {
  settings ??= fetch(serviceUrl('docs/reference/settings.md'))
    .then((response) => (response.ok ? response.text() : ''))
    .catch(() => '')
    .then(settingsOf)
  return settings
}

/** The settings of the page of the documentation, which has a row for each. */
export function settingsOf(page: string): Record<string, string> {
  const rows = page.split('\n').flatMap((line) => {
    const [, name, , meaning = ''] = line.split(/(?<!\\)\|/).map((cell) => cell.trim())
    const [, plain] = /^`([A-Z][A-Z0-9_]*)`$/.exec(name ?? '') ?? []
    return plain === undefined ? [] : [[plain, meaning.replaceAll('\\|', '|')] as const]
  })
  return Object.fromEntries(rows)
}

const readTokens = async (search: string) => (await queryService(documents.tokens, { search })).networks

/** Adds tokens of the same name; a name is explained even if the service does not respond. */
async function withTokens(meaning: Extract<Meaning, { kind: 'terms' | 'topics' }>): Promise<SearchResult> {
  if (meaning.word === undefined) return meaning
  return { ...meaning, tokens: await tokensOfWord(meaning.word, readTokens).catch(() => []) }
}

async function findTokens({
  names,
  topics,
  otherwise,
}: Extract<Meaning, { kind: 'tokens' }>): Promise<SearchResult> {
  const groups = await tokensNamed(names, readTokens)
  if (groups.some((group) => group.length > 0)) return { kind: 'tokens', groups, topics }
  return topics.length > 0 ? { kind: 'topics', topics } : otherwise
}

/** Adds contracts; an error is explained even if the service does not respond. */
async function withContracts(named: Named, text: string): Promise<Named> {
  if (named.addresses.length === 0) return named
  return networksOf().then(
    (networks) => namedIn(text, networks),
    () => named,
  )
}

const networksOf = async () => (await queryService(documents.home, {})).networks

const networkNames = async () => (await networksOf()).map(({ name }) => name)

const readProgrammatic = async (hash: string, owner?: string) =>
  (await queryService(documents.programmaticOfHash, { hash, owner })).programmaticOrders.nodes

const programmaticResult = (orders: FoundProgrammatic[]): SearchResult | undefined => {
  const [first, ...others] = orders
  if (!first) return undefined
  if (others.length > 0) return { kind: 'programmatic', orders }
  return { kind: 'page', path: `programmatic/${first.id}` }
}

/** Finds an order, or a programmatic order by what notifications have in place of a UID. */
async function findOrder(uid: string): Promise<SearchResult> {
  const found = await programmaticOfUid(uid, readProgrammatic)
  return programmaticResult(found) ?? { kind: 'page', path: `orders/${uid}` }
}

/** Finds a programmatic order, or else a transaction, which may be a private key: see `programmaticOf`. */
async function findHash(hash: string, isWhole: boolean, isSent: boolean): Promise<SearchResult> {
  const isUnasked = isWhole && !isSent
  const found = await programmaticOf(hash, readProgrammatic).catch((fault: unknown) => {
    if (isUnasked) return []
    throw fault
  })
  return programmaticResult(found) ?? (isUnasked ? { kind: 'unasked', hash } : findTransaction(hash, isWhole))
}

async function findTransaction(hash: string, isWhole: boolean): Promise<SearchResult> {
  const names = await networkNames()
  const answers = await Promise.all(
    names.map(async (network) => ({
      network,
      ...(await queryService(documents.transaction, { hash, network })),
    })),
  )
  const orders = answers.flatMap(({ transactionOrders }) => transactionOrders)
  const created = programmaticResult(answers.flatMap(({ programmaticOrders }) => programmaticOrders.nodes))
  const auctions = answers.flatMap(({ network, settlementsOfTransaction }) =>
    settlementsOfTransaction.flatMap(({ auctionId }) =>
      auctionId === null ? [] : [{ id: auctionId, network }],
    ),
  )
  if (orders.length === 1 && orders[0]) return { kind: 'page', path: `orders/${orders[0].uid}` }
  if (orders.length === 0 && auctions[0] !== undefined)
    return { kind: 'page', path: auctionPath(auctions[0].id, auctions[0].network) }
  if (orders.length === 0 && created) return created
  if (orders.length === 0)
    return {
      kind: 'nothing',
      text: 'No trade of this service is in this transaction. It may be on another network, it may have failed, or it may only allow a token to be sold.',
      mayBeKey: isWhole,
    }
  const named = orders.map(({ uid, sellToken, buyToken }) => ({
    uid,
    text: `${symbolOf({ address: '', ...sellToken })} for ${symbolOf({ address: '', ...buyToken })}`,
  }))
  return { kind: 'orders', orders: named, auctions }
}

/** Finds a token of any network, or else an account. @throws Refused if a failed read may hide a token */
async function findAddress(address: string): Promise<SearchResult> {
  const names = await networkNames()
  const reads = await Promise.allSettled(
    names.map((network) => queryService(documents.isToken, { address, network })),
  )
  const network = names[reads.findIndex((read) => read.status === 'fulfilled' && read.value.token !== null)]
  const failed = reads.find((read) => read.status === 'rejected')
  if (network === undefined && failed) throw failed.reason
  if (network === undefined) return { kind: 'page', path: `accounts/${address}` }
  return { kind: 'page', path: `tokens/${address}?network=${encodeURIComponent(network)}` }
}
