import { commonWords } from '../../../../domain/errors/find.ts'

/** Words of who asks after an order, and has no error. */
const asking = new Set(
  'where order orders swap swaps trade trades transaction money funds token tokens coin coins fill fills filling filled unfilled stuck pending waiting wait waits open status slow long time times hours hour minutes days day going go goes gone through happen happens happened happening nothing lost missing disappeared still yet ever never stay stays take takes get got receive received see sold sell bought buy done complete completed execute executed executing cancel partially partly work working processing did does didn doesn isn hasn won t s'.split(
    ' ',
  ),
)
/** Without one of these it is not about an order. */
const telling =
  /\b(?:orders?|swaps?|trades?|transaction|money|funds|tokens?|coins?|(?:un)?fill(?:s|ed|ing)?|stuck|pending)\b/i

export type Asking = 'only' | 'also'

/** Whether a text asks after an order: in such words only, or among others. */
export function asksAfterOrder(text: string): Asking | undefined {
  if (!telling.test(text)) return undefined
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? []
  // “may not trade here” is an error.
  const isAsking = (word: string) => asking.has(word) || (commonWords.has(word) && word !== 'may')
  return words.every(isAsking) ? 'only' : 'also'
}
