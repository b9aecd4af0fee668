import { type ForeignError, foreignErrors } from './foreign-errors.ts'
import { statusRows } from './http-statuses.ts'
import type { RefusalCode } from './refusal-codes.ts'

const rows = [...foreignErrors, ...statusRows]

/** Words that appear next to a number or a few words without adding meaning. */
const fillers = new Set(
  'error http https status code request response responded server failed to load resource with of returned the a it says wallet'.split(
    ' ',
  ),
)

interface FoundForeign {
  error: ForeignError
  /** The matched words. */
  phrase: string
  isSure: boolean
  codes: readonly RefusalCode[]
}

/** The error of a wallet, browser or node that a text describes: the first row with the best match. */
export function foreignErrorIn(text: string): FoundForeign | undefined {
  const lower = text.toLowerCase()
  const said = lower.split(/[^a-z\d]+/)
  const whole = lower
    .split(/[^\w-]+/)
    .filter((word) => word !== '' && !fillers.has(word))
    .join(' ')
  const isSaid = (phrase: string) => {
    const words = phrase.split(' ')
    return said.some((_, at) => words.every((word, index) => word === '*' || word === said[at + index]))
  }
  const fits = [
    ['sure', isSaid],
    ['likely', isSaid],
    ['alone', (phrase: string) => phrase === whole],
  ] as const
  for (const [how, isFound] of fits) {
    for (const [error, phrases] of rows) {
      const phrase = phrases[how]?.split(', ').find(isFound)
      if (phrase === undefined) continue
      const isSure = how === 'sure'
      return { error, phrase, isSure, codes: isSure ? [] : (phrases.codes ?? []) }
    }
  }
  return undefined
}
