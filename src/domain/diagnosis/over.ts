import { bothSpellings } from '../text/spelling.ts'
import type { DiagnosisCode } from './code.ts'

/** How an order ended. */
const endings: readonly DiagnosisCode[] = ['filled', 'cancelled', 'expired']
/** With one of these nothing of the order can be mended: to trade needs another order. */
const ends: readonly DiagnosisCode[] = [...endings, 'neverTradable', 'expiresTooSoon']

const [endingNames, endNames] = [bothSpellings(endings), bothSpellings(ends)]

/** @param code as the domain spells it, or as GraphQL does, here and below */
export const isEnd = ({ code }: { code: string }): boolean => endNames.has(code)

/** Whether a diagnosis that begins with this reason says how the order ended. */
export const isEnding = ({ code }: { code: string }): boolean => endingNames.has(code)

/** The reason after which no further auction takes the order, whatever its other reasons say. */
export function endOf(diagnosis: { code: string; further: readonly { code: string }[] }): string | undefined {
  return [diagnosis, ...diagnosis.further].find(isEnd)?.code
}

export const isOver = (diagnosis: Parameters<typeof endOf>[0]): boolean => endOf(diagnosis) !== undefined
