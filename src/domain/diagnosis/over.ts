import type { DiagnosisCode } from './code.ts'

/** With one of these nothing of the order can be mended: whoever still wants to trade needs another order. */
const ends: readonly DiagnosisCode[] = ['filled', 'cancelled', 'expired', 'neverTradable', 'expiresTooSoon']
const names = new Set(ends.map((code) => code.toLowerCase()))

/** @param code as the domain spells it, or as GraphQL does */
export const isEnd = ({ code }: { code: string }): boolean =>
  names.has(code.replaceAll('_', '').toLowerCase())

/** Whether the order fills no further, whatever its other reasons say. */
export function isOver(diagnosis: { code: string; further: readonly { code: string }[] }): boolean {
  return [diagnosis, ...diagnosis.further].some(isEnd)
}
