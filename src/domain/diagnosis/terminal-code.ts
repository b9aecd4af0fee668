import { bothSpellings } from '../text/spelling.ts'
import type { DiagnosisCode } from './code.ts'

/** Codes that describe how an order ended. */
const endings: readonly DiagnosisCode[] = ['filled', 'cancelled', 'expired']
/** Codes after which the order cannot be repaired: trading needs another order. */
const ends: readonly DiagnosisCode[] = [...endings, 'neverTradable', 'expiresTooSoon']

const [endingNames, endNames] = [bothSpellings(endings), bothSpellings(ends)]

/**
 * Reports whether a reason is final.
 * @param code in the spelling of the domain or of GraphQL, here and below
 */
export const isTerminalCode = ({ code }: { code: string }): boolean => endNames.has(code)

/** Reports whether a diagnosis that begins with this reason describes how the order ended. */
export const isEndingCode = ({ code }: { code: string }): boolean => endingNames.has(code)

/** The reason after which no further auction takes the order, whatever its other reasons are. */
export function terminalCodeOf(diagnosis: {
  code: string
  further: readonly { code: string }[]
}): string | undefined {
  return [diagnosis, ...diagnosis.further].find(isTerminalCode)?.code
}

export const isTerminal = (diagnosis: Parameters<typeof terminalCodeOf>[0]): boolean =>
  terminalCodeOf(diagnosis) !== undefined
