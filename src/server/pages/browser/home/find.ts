import { type FoundErrors, findErrors } from '../../../../domain/errors/find.ts'
import { ask } from '../ask.ts'
import { symbolOf } from '../view/amounts.ts'
import { documents } from './documents.ts'
import { cutIn, type Named, namedIn } from './named.ts'
import { type Asking, asksAfterOrder } from './question.ts'

export type SearchResult =
  | { kind: 'page'; path: string }
  /** @param auction whose number the whole text is, too */
  | ({ kind: 'errors'; named: Named; auction?: number | undefined } & FoundErrors)
  | { kind: 'orders'; orders: { uid: string; text: string }[]; auctions: number[] }
  /**
   * The text asks after an order, and does not say which.
   * @param asks whether in such words only
   */
  | { kind: 'question'; asks: Asking }
  /** @param digits how many it has; left out where dots stand for some */
  | { kind: 'cut'; digits?: number }
  | { kind: 'nothing'; text?: string }

/** What a pasted text is about: also one that holds it, such as an address of a page or the text of an error. */
export async function find(text: string): Promise<SearchResult> {
  const named = namedIn(text, [])
  const { order, transaction, addresses } = named
  const names = order ?? transaction ?? addresses[0]
  const asks = names === undefined ? asksAfterOrder(text) : undefined
  if (asks === 'only') return { kind: 'question', asks }
  const [, mark, number] = /^\s*(#?)(\d{1,15})\s*$/.exec(text) ?? []
  const auction = number === undefined ? undefined : Number(number)
  const auctionPage = { kind: 'page', path: `auctions/${auction}` } as const
  if (mark === '#') return auctionPage
  const found = findErrors(text, names !== undefined)
  if (found.foreign || found.errors.length > 0)
    return { kind: 'errors', ...found, named: await withContracts(named, text), auction }
  if (order !== undefined) return { kind: 'page', path: `orders/${order}` }
  if (transaction !== undefined) return findTransaction(transaction)
  if (addresses[0] !== undefined) return findAddress(addresses[0])
  if (auction !== undefined) return auctionPage
  const cut = cutIn(text)
  if (cut) return { kind: 'cut', ...cut }
  return asks ? { kind: 'question', asks } : { kind: 'nothing' }
}

/** What an error says is shown also when the service does not answer. */
async function withContracts(named: Named, text: string): Promise<Named> {
  if (named.addresses.length === 0) return named
  return networksOf().then(
    (networks) => namedIn(text, networks),
    () => named,
  )
}

const networksOf = async () => (await ask(documents.home, {})).networks

const networkNames = async () => (await networksOf()).map(({ name }) => name)

async function findTransaction(hash: string): Promise<SearchResult> {
  const names = await networkNames()
  const answers = await Promise.all(names.map((network) => ask(documents.transaction, { hash, network })))
  const orders = answers.flatMap(({ transactionOrders }) => transactionOrders)
  const auctions = answers.flatMap(({ settlementsOfTransaction }) =>
    settlementsOfTransaction.flatMap(({ auctionId }) => auctionId ?? []),
  )
  if (orders.length === 1 && orders[0]) return { kind: 'page', path: `orders/${orders[0].uid}` }
  if (orders.length === 0 && auctions[0] !== undefined)
    return { kind: 'page', path: `auctions/${auctions[0]}` }
  if (orders.length === 0)
    return {
      kind: 'nothing',
      text: 'No trade of this service is in this transaction. It may be on another network, it may have failed, or it may only allow a token to be sold.',
    }
  const named = orders.map(({ uid, sellToken, buyToken }) => ({
    uid,
    text: `${symbolOf({ address: '', ...sellToken })} for ${symbolOf({ address: '', ...buyToken })}`,
  }))
  return { kind: 'orders', orders: named, auctions }
}

/** A token if it is one somewhere. That it cannot be read is no reason not to go on. */
async function findAddress(address: string): Promise<SearchResult> {
  const names = await networkNames()
  const isToken = await Promise.all(
    names.map((network) =>
      ask(documents.isToken, { address, network }).then(
        ({ token }) => token !== null,
        () => false,
      ),
    ),
  )
  const network = names[isToken.indexOf(true)]
  if (network === undefined) return { kind: 'page', path: `accounts/${address}` }
  return { kind: 'page', path: `tokens/${address}?network=${encodeURIComponent(network)}` }
}
