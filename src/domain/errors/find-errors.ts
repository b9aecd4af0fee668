import { type ExplainedError, errorCodes, explained, explanations } from './error-explanations.ts'
import type { ErrorCode } from './explanation.ts'
import { type ForeignError, foreignErrors, statusRows } from './foreign-errors.ts'
import { type RefusalCode, refusalCodes } from './refusal-codes.ts'

const foreignRows = [...foreignErrors, ...statusRows]

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
function foreignErrorIn(text: string): FoundForeign | undefined {
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
    for (const [error, phrases] of foreignRows) {
      const phrase = phrases[how]?.split(', ').find(isFound)
      if (phrase === undefined) continue
      const isSure = how === 'sure'
      return { error, phrase, isSure, codes: isSure ? [] : (phrases.codes ?? []) }
    }
  }
  return undefined
}

const maxFound = 5
/** The minimum weight of a text that describes an error: that of two words that few errors have. */
const minWeight = 7
/**
 * The minimum weight of a text of known words only, such as “no liquidity”, which may have another meaning.
 */
const minKnownWeight = 3.4
/**
 * The minimum share of the best error's weight, and of the weight that only the best error has. Errors below
 * it are dropped.
 */
const minShare = 0.55
/** The minimum weight that only the best error has, for that rule. */
const clearLead = 3
/** The weight of a text that describes an error whatever its other words are. */
const clearWeight = 15.5
/**
 * The minimum share of a text's words that the best error has, below that weight: for an answer, and for a
 * guess. Other texts are about something else, and have some words in common with the error.
 */
const [minSureShare, minGuessShare] = [0.65, 0.5]
/** The maximum number of errors that an answer is, below a weight; more share words that say little. */
const [maxMeant, manyWeight] = [4, 10]
/** The weight of a code that is written out. */
const namedWeight = 30

/** Words of any text. They count only as a pair with another word. */
export const stopWords = new Set(
  'the a an of is are was be been it its this that these those to in on at by for with without as and or not no than if so do does can could has have had may must will would your you my me i we our their there here what when which who how why more too very just only please error errors failed failure wallet wallets app says said message sorry oops something went wrong try again later contact support filled'.split(
    ' ',
  ),
)

/**
 * Extracts the words of a text and each pair of consecutive words, without numbers, amounts and addresses.
 * Members such as `sellAmount` count both as a whole and as their words; word endings do not count.
 */
function termsOf(text: string) {
  const [words, members, pairs] = [new Set<string>(), new Set<string>(), new Set<string>()]
  let before = ''
  for (const [name] of text.replaceAll(/[’']s\b/gi, '').matchAll(/[\p{L}\d]+/gu)) {
    if (/^\d|^[\da-f]{8,}$/i.test(name)) continue
    const parts = name.replaceAll(/([a-z])(?=[A-Z])/g, '$1 ').split(' ')
    const stems = parts.map(stemOf)
    if (parts.length > 1) members.add(name.toLowerCase())
    for (const stem of stems) {
      const isCommon = stopWords.has(stem)
      if (!isCommon && stem.length > 1) words.add(stem)
      if (before !== '' && !(isCommon && stopWords.has(before))) pairs.add(`${before} ${stem}`)
      before = stem
    }
  }
  return { words, members, pairs }
}

export const stemOf = (word: string) => {
  const lower = word.toLowerCase()
  return stopWords.has(lower) ? lower : lower.replace(/\Bs$/, '').slice(0, 6)
}

interface Entry {
  code: ErrorCode
  /**
   * The weights of the terms in an error's texts. Terms from messages for programs weigh more than terms from
   * texts for people.
   */
  counts: Map<string, number>
}

/**
 * The weights of a word of the code itself and of a word in a text for people; a word of a message weighs 1.
 */
const [codeCount, meaningCount] = [1.5, 0.6]
/**
 * The weights of a member and of a pair; a word weighs 1. A member such as `sellAmount` rarely appears by
 * chance.
 */
const [memberCount, pairCount] = [2, 0.6]

function entryOf(code: ErrorCode): Entry {
  const row = code in refusalCodes ? refusalCodes[code as keyof typeof refusalCodes] : undefined
  const counts = new Map<string, number>()
  const add = (text: string, count: number) => {
    const { words, members, pairs } = termsOf(text)
    const raise = (terms: Iterable<string>, count: number) => {
      for (const term of terms) counts.set(term, Math.max(counts.get(term) ?? 0, count))
    }
    raise(words, count)
    raise(members, count * memberCount)
    raise(pairs, count * pairCount)
  }
  const { heard = '', meaning = '' } = explanations[code]
  add(code, codeCount)
  add(row?.description ?? '', 1)
  add(heard, 1)
  add(meaning, meaningCount)
  return { code, counts }
}

let index: { entries: Entry[]; weights: Map<string, number> } | undefined

/** Builds the index at the first use, so that it does not delay the first page. */
function indexed() {
  if (index) return index
  const entries = errorCodes.map(entryOf)
  const uses = new Map<string, number>()
  for (const { counts } of entries)
    for (const term of counts.keys()) uses.set(term, (uses.get(term) ?? 0) + 1)
  const weights = new Map([...uses].map(([term, used]) => [term, Math.log(entries.length / used)]))
  index = { entries, weights }
  return index
}

/** The share of a text's words that an error has, without words of any text. */
function shareOf(text: string, { counts }: Entry, ignored: ReadonlySet<string>): number {
  const words = new Set(
    text
      .toLowerCase()
      .replace(/0x[\da-f]+/g, '')
      .match(/\p{L}[\p{L}\d]{2,}/gu),
  )
  const said = [...words].filter((word) => !ignored.has(word) && !stopWords.has(stemOf(word)))
  const shared = said.filter((word) => counts.has(word) || counts.has(stemOf(word)))
  return said.length === 0 ? 1 : shared.length / said.length
}

export interface FoundErrors {
  /** The error of a wallet, a browser or a node. */
  foreign?: ForeignError
  /** The errors of the service, best match first. */
  errors: ExplainedError[]
  /** True if the text is too short for more than a guess. */
  isGuess: boolean
  /** True if the text has a code or the words of an error whatever else it says. */
  isClear: boolean
}

/**
 * Finds the errors that a text describes: it contains their code or their words, possibly among others.
 * @param isBeside whether the text also names something else, which is more likely meant if the words are few
 */
export function findErrors(text: string, isBeside = false): FoundErrors {
  const answered = answeredCode(text)
  if (answered) {
    const others = findOwn(text, isBeside).errors.filter(({ code }) => code !== answered)
    return { errors: [explained(answered), ...others].slice(0, maxFound), isGuess: false, isClear: true }
  }
  const found = foreignErrorIn(text)
  if (!found) return findOwn(text, isBeside)
  const { error: foreign, phrase, isSure, codes } = found
  const own = isSure ? undefined : findOwn(text, isBeside, phrase)
  return own && !own.isGuess ? own : { foreign, errors: codes.map(explained), isGuess: false, isClear: true }
}

/** The start of the call arguments that programs append. Names in them also occur in orders. */
const callBegins = /\b(?:request|raw call) arguments:/i

/**
 * The code of an answer of the service, over REST or GraphQL. It counts more than all words next to it, which
 * may be those of a solver or an estimator.
 */
function answeredCode(whole: string): ErrorCode | undefined {
  const [text = ''] = whole.split(callBegins)
  const named = [...text.matchAll(/"(?:errorType|code)\\?"\s*:\s*\\?"(\w+)/g)].map(([, code]) => code)
  return errorCodes.find((code) => named.includes(code))
}

/** Finds the service's own errors. @param phrase text to ignore */
function findOwn(whole: string, isBeside: boolean, phrase = ''): FoundErrors {
  const [text = ''] = whole.split(callBegins)
  const { entries, weights } = indexed()
  const { words, pairs } = termsOf(text)
  const names = new Set(text.toLowerCase().split(/[^\w]+/))
  const joined = text.replaceAll(/[^A-Za-z]+/g, '').toLowerCase()
  const left = termsOf(phrase)
  const ignored = new Set([...left.words, ...left.pairs, ...phrase.split(' ')])
  const terms = [...new Set([...words, ...names, ...pairs])].filter((term) => !ignored.has(term))
  const isKnown = (name: string) =>
    !/^[a-z]{2}/.test(name) || [name, stemOf(name)].some((word) => stopWords.has(word) || weights.has(word))
  const isWritten = (code: string) => names.has(code) && !ignored.has(code)
  const weightIn = ({ counts }: Entry, term: string) => (counts.get(term) ?? 0) * (weights.get(term) ?? 0)
  const found = entries
    .map((entry) => {
      const code = entry.code.toLowerCase()
      const isNamed = isWritten(code) || (phrase === '' && joined === code.replaceAll('_', ''))
      const heard = terms.reduce((sum, term) => sum + weightIn(entry, term), 0)
      return { entry, weight: heard + (isNamed ? namedWeight : 0) }
    })
    .toSorted((one, other) => other.weight - one.weight)
  const [best] = found
  const minimum = !isBeside && [...names].every(isKnown) ? minKnownWeight : minWeight
  if (!best || best.weight < minimum) return { errors: [], isGuess: true, isClear: false }
  const share = best.weight < clearWeight ? shareOf(text, best.entry, ignored) : 1
  if (share < minGuessShare) return { errors: [], isGuess: true, isClear: false }
  const isMeantToo = ({ entry, weight }: (typeof found)[number]) => {
    const shared = terms.reduce(
      (sum, term) => sum + Math.min(weightIn(entry, term), weightIn(best.entry, term)),
      0,
    )
    const lead = best.weight - shared
    return weight >= best.weight * minShare && (lead < clearLead || weight - shared >= lead * minShare)
  }
  const errors = found
    .filter(isMeantToo)
    .slice(0, maxFound)
    .map(({ entry }) => explained(entry.code))
  const isVague = share < minSureShare || (errors.length > maxMeant && best.weight < manyWeight)
  return { errors, isGuess: best.weight < minWeight || isVague, isClear: best.weight >= clearWeight }
}
