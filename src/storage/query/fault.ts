import { Refusal } from '../../domain/errors/error.ts'

/** What only the database can find wrong with a request: a mark stands in the answer, and is told as this. */
const refusals = {
  c: new Refusal(
    'InvalidParameter',
    'after is a cursor of another feed; "earliest" starts at the beginning',
    {
      field: 'after',
    },
  ),
  d: new Refusal('AffiliateCodeDisabled', 'Affiliate code disabled', { field: 'code' }),
}
export type Fault = keyof typeof refusals

/** No JSON holds it: control characters are escaped there. */
const mark = '\u0002'

export const faultText = (fault: Fault) => `${mark}${fault}`

/** @throws Refusal where a mark stands in the text */
export function checkFaults(text: string): string {
  const at = text.indexOf(mark)
  if (at < 0) return text
  throw refusals[text[at + 1] as Fault]
}
