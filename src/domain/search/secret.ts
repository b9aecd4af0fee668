/** A secret in a text: it is never sent, stored or put into an address. */
export type Secret = keyof typeof secretTexts

export const secretTexts = {
  key: {
    title: 'This looks like a private key',
    meaning:
      'A private key is 64 digits from 0 to 9 and a to f. Anyone who has it can take everything from its account.',
    advice:
      'Never paste a private key into a page or a command. If this is one, move what the account holds to a new account: other programs may have read it. If it is the number of a transaction, put 0x in front of it.',
  },
  phrase: {
    title: 'This looks like a recovery phrase',
    meaning:
      'The words of a recovery phrase, or seed phrase, open a wallet. Anyone who has them can take everything from its accounts.',
    advice:
      'Never paste these words into a page or a command, and give them to no support. If they are yours, move what the wallet holds to a new wallet: other programs may have read them.',
  },
} as const

/** Checks whether a whole text has the form of a transaction, which a private key with `0x` has too. */
export const mayBeKey = (text: string): boolean => /^\s*0x[\da-f]{64}\s*$/i.test(text)

/** Texts that say where a secret was sent. */
export const sentTexts = {
  nowhere: 'The text was not sent to the service.',
  inAddress:
    'The address with this text was sent to the service, and may be in its logs and in the history of the browser.',
  asTransaction:
    'If this is a private key, move what its account holds to a new account: it was sent to the service.',
} as const

/**
 * Finds a private key or a recovery phrase. 64 digits with `0x` are a transaction, which has the same form,
 * unless the text calls them a key.
 */
export function secretIn(text: string): Secret | undefined {
  const saysKey = /\b(?:private|secret|priv)[\s_-]?key\b/i.test(text)
  const digits = text.match(/(?<![\dA-Za-z])(?:0x)?[\da-f]{64}(?![\dA-Za-z])/gi) ?? []
  // Words of calldata begin with zeros, or repeat a digit.
  const isRandom = (hex: string) => !/^0{8}|(.)\1{15}/.test(hex)
  if (digits.some((hex) => (saysKey || !/^0x/i.test(hex)) && isRandom(hex.replace(/^0x/i, '')))) return 'key'
  if (/\b[xyz]prv[1-9A-HJ-NP-Za-km-z]{100,}/.test(text)) return 'key'
  return phraseIn(text) ? 'phrase' : undefined
}

/** The number of words of the shortest recovery phrase. */
const minWords = 12

/** Marks of lists, such as `1.`, `(1)`, `#1` and `word1:`, and signs that quote words or part them. */
const listMarks =
  /(?<![\p{L}\p{N}])(?:word)?[#([]?\d{1,2}(?![\p{L}\p{N}])[.:)\]=]?|[\p{Cf}"'`“”‘’«»;|/*•–—]/giu

/** Common words of 3 to 8 letters that no recovery phrase has. */
const plainWords = new Set(
  'and anything are asks asked bad been being bought but buy buying canceled cannot chain coins could days did does each errors every everyone exceeds expired fail failed failing fees fill filled for from fund funds gave get gets got had has her here him his hours how its last made makes may maybe messages might minutes money most needed needs not orders others our pending prices said says seen sees selling sent shall she should sold some stuck than thanks the their them these thinks those times took tokens trades tried tries trying user users uses wallet wallets wanted wants was week were which while who whose why with without works working would yet your yours'.split(
    ' ',
  ),
)

/**
 * Reports whether a text has a run of enough words for a recovery phrase, all of 3 to 8 letters and none of
 * them common. Other words may stand next to the phrase. The list of words itself would be as large as a
 * page.
 */
function phraseIn(text: string): boolean {
  const saysPhrase = /\b(?:seed|recovery|mnemonic|secret|phrase|words|passphrase|backup)\b/i.test(text)
  const enough = saysPhrase ? minWords - 1 : minWords
  let run = 0
  const words = text.toLowerCase().replace(listMarks, ' ')
  for (const [word] of words.matchAll(/\p{L}[\p{L}\p{N}_]*|[^\s\p{L}\p{N},.-]/gu)) {
    run = /^[a-z]{3,8}$/.test(word) && !plainWords.has(word) ? run + 1 : 0
    if (run >= enough) return true
  }
  return false
}
