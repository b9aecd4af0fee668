import { Refusal } from '../../domain/errors/error.ts'

/** Refusals that only the database can decide: the statement writes a mark with the key into its result. */
const refusals = {
  c: new Refusal(
    'InvalidParameter',
    'after is newer than this database, so it is a cursor of another one; "earliest" starts at the first entry that is stored',
    {
      field: 'after',
    },
  ),
  e: new Refusal(
    'FeedGap',
    'entries behind this cursor are removed already; "earliest" starts at the first that is stored',
    { field: 'after' },
  ),
  l: new Refusal(
    'Unavailable',
    'the list is still being read from the order book and the chain: try again later, or select isComplete',
  ),
  d: new Refusal('AffiliateCodeDisabled', 'Affiliate code disabled', { field: 'code' }),
}
export type StoredRefusal = keyof typeof refusals

export const refusalOf = (fault: StoredRefusal): Refusal => refusals[fault]

/** Reports whether a list was refused because it has no item yet, and is still being read. */
export const isStillRead = (fault: unknown): boolean => fault === refusals.l

/** @param cursor the place from which all entries are kept */
export function gapRefusal(cursor: string): Refusal {
  const { code, message } = refusals.e
  return new Refusal(code, message, { field: 'after', ending: { reason: 'GAP', cursor } })
}

/** Never in JSON, where control characters are escaped. */
const mark = '\u0002'

export const refusalMark = (fault: StoredRefusal) => `${mark}${fault}`

/** @throws Refusal if the text contains a mark */
export function throwMarkedRefusal(text: string): string {
  const at = text.indexOf(mark)
  if (at < 0) return text
  const refusal = refusals[text[at + 1] as StoredRefusal]
  const cursor = /^[0-9]+/.exec(text.slice(at + 2))?.[0]
  if (cursor === undefined || refusal.code !== 'FeedGap') throw refusal
  throw gapRefusal(cursor)
}
