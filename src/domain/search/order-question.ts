import { stopWords } from '../errors/find-errors.ts'

/** Words of questions about an order, without an error. */
export const asking = new Set(
  'where order orders swap swaps trade trades transaction money funds token tokens coin coins fill fills filling filled unfilled stuck pending waiting wait waits open status slow long time times hours hour minutes days day going go goes gone through happen happens happened happening nothing lost missing disappeared still yet ever never stay stays take takes get got receive received see sold sell bought buy done complete completed execute executed executing cancel partially partly work working processing did does didn doesn isn hasn won t s forever'.split(
    ' ',
  ),
)
/** Words of which a question about an order needs one. */
const telling =
  /\b(?:orders?|swaps?|trades?|transaction|money|funds|tokens?|coins?|(?:un)?fill(?:s|ed|ing)?|stuck|pending)\b/i

const ending = /\b(?:expired|cancell?ed|failed|disappeared|vanished)\b/i

/**
 * The minimum share of such words, without those of any text: a text with more others is about another
 * matter.
 */
const minShare = 0.4

/** The answer to a question about an order that is not named. */
export const orderQuestionText =
  'The page of an order says why it is not filled, and what to do. As long as an order is not filled, nothing of it is sold. It can be cancelled on its page with the wallet of its account, or where it was placed.'

export type Asking = 'only' | 'also'

/** Recognizes a question about an order: in such words only, or among others. */
export function isOrderQuestion(text: string): Asking | undefined {
  if (!telling.test(text)) return undefined
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? []
  // “may not trade here” is an error.
  const isAsking = (word: string) => asking.has(word) || (stopWords.has(word) && word !== 'may')
  if (words.every(isAsking)) return 'only'
  const others = words.filter((word) => !stopWords.has(word))
  const asked = others.filter(isAsking).length
  // One such word of two says too little: “swap btc” is about a token.
  return asked >= others.length * minShare && (asked > 1 || ending.test(text)) ? 'also' : undefined
}
