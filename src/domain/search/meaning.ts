import { codeNamed, type ExplainedError, errorCodes, explained } from '../errors/error-explanations.ts'
import { type FoundErrors, findErrors, stopWords } from '../errors/find-errors.ts'
import { type Asking, isOrderQuestion } from './order-question.ts'
import { type Secret, secretIn } from './secret.ts'
import { settingNamed, type Term, termsIn, termsNamed } from './terms.ts'
import { correctedText, type Topic, topicsIn } from './topics.ts'

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
  if (terms.length > 0) {
    const errors = errorsNamed(text)
    // The code of an error is no token's name.
    return { kind: 'terms', terms, errors, topics, ...(errors.length === 0 && word) }
  }
  const found = findErrors(whole, isBeside)
  const { isGuess, isClear, ...errors } = found
  if (isClear || (!isGuess && topics.length === 0)) return { kind: 'errors', ...errors }
  if (isBeside) return { kind: 'nothing' }
  const written = termsIn(whole)
  if (written.length > 0) return { kind: 'terms', terms: written, errors: [], topics: [] }
  if (topics.length > 0) return { kind: 'topics', topics, ...word }
  const asks = isOrderQuestion(text)
  if (asks === 'only' && text.includes(' ')) return { kind: 'question', asks }
  if (ensName.test(text)) return { kind: 'ens' }
  const otherwise = misspeltIn(text) ?? guessOf(found.errors, asked.topics, asks)
  const names = tokenNamesIn(text)
  if (names.length === 0) return otherwise
  const also = (known: ReadonlySet<string>, topic: string) =>
    names.some((name) => known.has(name.toLowerCase())) ? topicsIn(topic).topics : []
  const besides = [...also(nativeNames, 'native coin'), ...also(networkNames, 'networks')]
  return { kind: 'tokens', names, topics: besides, otherwise }
}

/** The guess for a text with misspelt words, which may be right words of something else. */
function misspeltIn(text: string): Unclear | undefined {
  const corrected = correctedText(text, wordsOfCodes)
  if (corrected === undefined) return undefined
  const asks = text.includes(' ') ? isOrderQuestion(corrected) : undefined
  if (asks === 'only') return { kind: 'question', asks: 'also' }
  const { errors, isGuess } = findErrors(corrected)
  const { topics } = topicsIn(corrected)
  const guess = guessOf(isGuess && topics.length > 0 ? [] : errors, topics, asks)
  return guess.kind === 'nothing' ? undefined : guess
}

/** Long words of the codes of errors, such as “insufficient”. */
const wordsOfCodes = errorCodes
  .flatMap((code) => code.match(/[A-Z]?[a-z]{6,}/g) ?? [])
  .map((word) => word.toLowerCase())

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
/** Chains that people ask for by name. */
const networkNames = new Set(
  'mainnet sepolia arbitrum optimism polygon base gnosis avalanche bnb bsc linea solana'.split(' '),
)
/** The beginnings of questions about a token. */
const question = /^(?:do you|does it|does this|can i|can you|can we|where can i|how do i|how to) (?=\S+ )/i
const between = / ?(?:\/|→|->|>|-|:) ?| (?:to|for|into|with|against|and|in|on|vs) /i
/** Words that stand next to the names of tokens. */
const fillers = new Set(
  'sell swap trade buy exchange convert price of the token coin what is how much worth current pair my some a an get rate contract address orders trades supported support listed available here'.split(
    ' ',
  ),
)

/** The names of one token, or of the two of a pair, that a short text may be. */
function tokenNamesIn(text: string): string[] {
  if (text.length > maxPairLength) return []
  const names = text
    .replace(/[?!.]{1,9}$/, '')
    .replace(question, '')
    .split(between)
    .map((part) =>
      part
        .split(' ')
        .map((word) => word.replace(/^\$/, ''))
        .filter((word) => !fillers.has(word.toLowerCase()) && !/^[\d.,]*$/.test(word))
        .join(' '),
    )
    .filter((name) => name !== '')
  const isName = (name: string) =>
    /^[\p{L}\p{N}][\p{L}\p{N}.+_₮ ]{0,39}$/u.test(name) &&
    !/^0x/i.test(name) &&
    name.split(' ').length <= 3 &&
    !name.split(' ').some((word) => stopWords.has(word.toLowerCase()))
  return names.length <= 2 && names.every(isName) ? names : []
}
