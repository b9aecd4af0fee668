import { Refusal } from '../../domain/errors/error.ts'

/** Refusals that only the database can decide: the statement writes a mark with the key into its result. */
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

/** Never in JSON, where control characters are escaped. */
const mark = '\u0002'

export const faultText = (fault: Fault) => `${mark}${fault}`

/** @throws Refusal if the text contains a mark */
export function checkFaults(text: string): string {
  const at = text.indexOf(mark)
  if (at < 0) return text
  throw refusals[text[at + 1] as Fault]
}
