import { codeNamed, type ExplainedError, explained } from '../errors/error-explanations.ts'
import { type FoundErrors, findErrors, stopWords } from '../errors/find-errors.ts'
import { type Asking, isOrderQuestion } from './order-question.ts'
import { type Secret, secretIn } from './secret.ts'
import { settingNamed, type Term, termsIn, termsNamed } from './terms.ts'
import { type Topic, topicsIn } from './topics.ts'

/** A text without a clear subject. */
export type Unclear =
  /**
   * A question about an unnamed order.
   * @param asks whether the text has such words only
   */
  | { kind: 'question'; asks: Asking }
  /** Subjects that the text may have: too few of its words say so. */
  | { kind: 'guess'; errors: ExplainedError[]; topics: Topic[] }
  | { kind: 'nothing' }

/** The subject of a text in words. */
export type Meaning =
  | { kind: 'secret'; secret: Secret }
  | { kind: 'auction'; id: number }
  /**
   * Names of this service, with the errors and the topics of the same words.
   * @param word the text, if it is one word: it may be the symbol or the name of a token too
   */
  | { kind: 'terms'; terms: Term[]; errors: ExplainedError[]; topics: Topic[]; word?: string }
  | ({ kind: 'errors' } & Omit<FoundErrors, 'isGuess' | 'isClear'>)
  | { kind: 'topics'; topics: Topic[]; word?: string }
  | { kind: 'ens' }
  /**
   * Possibly the names or symbols of one token or of two, which the service is asked for.
   * @param otherwise the meaning if there are none
   */
  | { kind: 'tokens'; names: string[]; topics: Topic[]; otherwise: Unclear }
  | Unclear

interface Options {
  /** True if the text also names an order, a transaction or an account, which is more likely meant. */
  isBeside?: boolean
  /** Reads the settings of the service, each with its description. */
  settings?: () => Promise<Readonly<Record<string, string>>>
}

const auctionText = /^(?:(?:auction|batch)(?: (?:no\.?|number|id))? ?#?|#) ?(\d{1,15})$/i
const ensName = /(?:^| )((?:[a-z\d-]{1,63}\.){1,4}eth)(?=$|[ ?!,.])/i
const settingName = /^[a-z][a-z\d _-]{2,59}$/i

/** Finds the meaning of a text; a text that may mean anything has none. */
export async function meaningOf(
  whole: string,
  { isBeside = false, settings }: Options = {},
): Promise<Meaning> {
  const secret = secretIn(whole)
  if (secret !== undefined) return { kind: 'secret', secret }
  const text = whole.trim().replace(/\s+/g, ' ')
  const [, auction] = auctionText.exec(text) ?? []
  if (auction !== undefined) return { kind: 'auction', id: Number(auction) }
  const setting = settings && settingName.test(text) ? settingNamed(text, await settings()) : undefined
  const terms = [...termsNamed(text), ...(setting ? [setting] : [])]
  // A name with an underscore is a code.
  const [name] = text.includes('_') || text.includes(' ') ? [] : tokenNamesIn(text)
  const word = name === undefined ? {} : { word: name }
  const asked = isBeside ? { topics: [], isGuess: true } : topicsIn(text)
  const topics = asked.isGuess ? [] : asked.topics
  if (terms.length > 0) return { kind: 'terms', terms, errors: errorsNamed(text), topics, ...word }
  const found = findErrors(whole, isBeside)
  const { isGuess, isClear, ...errors } = found
  if (isClear || (!isGuess && topics.length === 0)) return { kind: 'errors', ...errors }
  if (isBeside) return { kind: 'nothing' }
  const written = termsIn(whole)
  if (written.length > 0) return { kind: 'terms', terms: written, errors: [], topics: [] }
  if (topics.length > 0) return { kind: 'topics', topics, ...word }
  const asks = isOrderQuestion(text)
  if (asks === 'only') return { kind: 'question', asks }
  if (ensName.test(text)) return { kind: 'ens' }
  const otherwise = guessOf(found.errors, asked.topics, asks)
  const names = tokenNamesIn(text)
  if (names.length === 0) return otherwise
  const isCoin = names.some((name) => nativeNames.has(name.toLowerCase()))
  return { kind: 'tokens', names, topics: isCoin ? topicsIn('native coin').topics : [], otherwise }
}

function guessOf(errors: ExplainedError[], topics: Topic[], asks: Asking | undefined): Unclear {
  if (errors.length > 0 || topics.length > 0) return { kind: 'guess', errors, topics }
  return asks ? { kind: 'question', asks } : { kind: 'nothing' }
}

/** The error whose code a whole text is. */
function errorsNamed(text: string): ExplainedError[] {
  const code = codeNamed(text.replace(/[^A-Za-z]/g, '')) ?? codeNamed(text)
  return code ? [explained(code)] : []
}

const maxPairLength = 80
const nativeNames = new Set(['eth', 'ether', 'ethereum'])
const between = / ?(?:\/|→|->|>|-|:) ?| (?:to|for|into|with|against|and|in|vs) /i
/** Words that stand next to the names of tokens. */
const fillers = new Set(
  'sell swap trade buy exchange convert price of the token coin what is how much worth current pair my some a an get rate contract address orders trades'.split(
    ' ',
  ),
)

/** The names of one token, or of the two of a pair, that a short text may be. */
function tokenNamesIn(text: string): string[] {
  if (text.length > maxPairLength) return []
  const names = text
    .replace(/[?!.]{1,9}$/, '')
    .split(between)
    .map((part) =>
      part
        .split(' ')
        .map((word) => word.replace(/^\$/, ''))
        .filter((word) => !fillers.has(word.toLowerCase()) && !/^[\d.,]*$/.test(word))
        .join(' '),
    )
  const isName = (name: string) =>
    /^[\p{L}\p{N}][\p{L}\p{N}.+_₮ ]{0,39}$/u.test(name) &&
    !/^0x/i.test(name) &&
    name.split(' ').length <= 3 &&
    !name.split(' ').some((word) => stopWords.has(word.toLowerCase()))
  return names.length <= 2 && names.every(isName) ? names : []
}
