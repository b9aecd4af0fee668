import { toAddress } from '../domain/address.ts'
import { unixSeconds } from '../domain/log.ts'
import { toOrderUid } from '../domain/order-uid.ts'
import { checkLimit } from '../graphql/paging.ts'
import {
  accountOrdersText,
  type OrderText,
  orderText,
  type TextPage,
  tradesText,
} from '../storage/hot/rest.ts'
import { page } from './page.ts'
import type { RestRequest, Row } from './route.ts'

type TextReader = NonNullable<Row<never>['text']>

/** What does not read as it should is left to the document, which says what is wrong with it. */
export function readOrderText(what: OrderText): TextReader {
  return async ({ path }, { db, now }, chainId) => {
    const uid = toOrderUid(path.uid ?? '')
    return uid && orderText(db, what, { uid, chainId, now: unixSeconds(now()) })
  }
}

export const readAccountOrdersText: TextReader = async ({ path, query }, { db, now }, chainId) => {
  const owner = toAddress(path.owner ?? '')
  const { offset, limit } = page(query)
  checkLimit(limit, 'LIMIT_OUT_OF_BOUNDS')
  return owner && accountOrdersText(db, { chainId, owner, now: unixSeconds(now()) }, { offset, limit })
}

export async function readTradesText(
  { offset, limit }: TextPage,
  { query }: RestRequest,
  { db }: Parameters<TextReader>[1],
  chainId: number,
): Promise<string | undefined> {
  const owner = toAddress(query.get('owner') ?? '')
  const orderUid = toOrderUid(query.get('orderUid') ?? '')
  if (query.has('owner') === query.has('orderUid')) return undefined
  checkLimit(limit, 'InvalidLimit')
  if (owner) return tradesText(db, chainId, { owner }, { offset, limit })
  return orderUid && tradesText(db, chainId, { orderUid }, { offset, limit })
}
