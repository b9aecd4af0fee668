import type { ExplainedError } from '../../../../domain/errors/explained.ts'
import { findErrors } from '../../../../domain/errors/find.ts'
import { ask } from '../ask.ts'
import { symbolOf } from '../view/amounts.ts'
import { documents } from './documents.ts'

export type SearchResult =
  | { kind: 'page'; path: string }
  /** `beside` is what else the text names: an order, a transaction or an address. */
  | { kind: 'errors'; errors: ExplainedError[]; beside: string | undefined }
  | { kind: 'orders'; orders: { uid: string; text: string }[]; auctions: number[] }
  | { kind: 'nothing'; text: string }

/** What a pasted text is about: also one that holds it, such as an address of a page or the text of an error. */
export async function find(text: string): Promise<SearchResult> {
  const digits = text.toLowerCase().split(/[^0-9a-fx]+/)
  const ofLength = (length: number) =>
    digits.map((part) => part.replace(/^0x/, '')).find((hex) => hex.length === length && !hex.includes('x'))
  const [uid, hash, address] = [112, 64, 40].map(ofLength)
  const beside = uid ?? hash ?? address
  const errors = findErrors(text, beside !== undefined)
  if (errors.length > 0)
    return { kind: 'errors', errors, beside: beside === undefined ? undefined : `0x${beside}` }
  if (uid !== undefined) return { kind: 'page', path: `orders/0x${uid}` }
  if (hash !== undefined) return findTransaction(`0x${hash}`)
  if (address !== undefined) return findAddress(`0x${address}`)
  const number = /^\s*#?(\d{1,15})\s*$/.exec(text)?.[1]
  if (number !== undefined) return { kind: 'page', path: `auctions/${Number(number)}` }
  return {
    kind: 'nothing',
    text: 'An order’s number has 0x and 112 digits, a transaction’s 64, an address 40, each from 0 to 9 and a to f. An auction has a number. An error has a word, such as InsufficientBalance, and a text: paste all that the wallet shows.',
  }
}

async function networkNames(): Promise<string[]> {
  const { networks } = await ask(documents.home, {})
  return networks.map(({ name }) => name)
}

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
      text: 'No trade of this service is in this transaction. It may be on another network, it may have failed, or it may only allow a token to be sold. Search for the number of the order, or for your account.',
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
