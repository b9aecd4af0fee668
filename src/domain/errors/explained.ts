import { programFaults } from './program-faults.ts'
import { refusalCodes } from './refusal-codes.ts'
import { traderWords } from './trader-words.ts'
import { type ErrorCode, type Explanation, outcomes, type Words } from './words.ts'

export interface ExplainedError extends Explanation {
  code: ErrorCode
  /** True if the network's contract that takes sell tokens must be approved. */
  approves: boolean
}

const ofPrograms =
  'This is a fault of the wallet or program that sent the request: tell its makers, with this word and the whole text of the error.'

export const wordsOf: Readonly<Record<ErrorCode, Words>> = { ...traderWords, ...programFaults }

export const errorCodes = Object.keys(wordsOf) as ErrorCode[]

/** Finds a code, regardless of upper and lower case. */
export function codeNamed(name: string): ErrorCode | undefined {
  return errorCodes.find((code) => code.toLowerCase() === name.toLowerCase())
}

export function explained(code: ErrorCode): ExplainedError {
  const { outcome, meaning = descriptionOf(code), advice = ofPrograms, approves = false } = wordsOf[code]
  return { code, meaning, advice, outcome: outcomes[outcome], approves }
}

/** The description of a code, for programs. */
function descriptionOf(code: ErrorCode): string {
  return code in refusalCodes ? refusalCodes[code as keyof typeof refusalCodes].description : ''
}
