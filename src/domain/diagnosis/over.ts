import type { DiagnosisCode } from './code.ts'

/** How an order ended. */
const endings: readonly DiagnosisCode[] = ['filled', 'cancelled', 'expired']
/** With one of these nothing of the order can be mended: whoever still wants to trade needs another order. */
const ends: readonly DiagnosisCode[] = [...endings, 'neverTradable', 'expiresTooSoon']

const isOneOf = (codes: readonly DiagnosisCode[], code: string) =>
  codes.some((each) => each.toLowerCase() === code.replaceAll('_', '').toLowerCase())

/** @param code as the domain spells it, or as GraphQL does, here and below */
export const isEnd = ({ code }: { code: string }): boolean => isOneOf(ends, code)

/** Whether a diagnosis that begins with this reason says how the order ended. */
export const isEnding = ({ code }: { code: string }): boolean => isOneOf(endings, code)

/** Whether the order fills no further, whatever its other reasons say. */
export function isOver(diagnosis: { code: string; further: readonly { code: string }[] }): boolean {
  return [diagnosis, ...diagnosis.further].some(isEnd)
}
