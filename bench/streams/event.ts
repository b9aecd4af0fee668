/** The subscription document of every system. */
export const streamDocument =
  'subscription($account:Address!,$after:String){notifications(account:$account,after:$after){cursor node{type message timestamp}}}'

const bookDocument = (variables: string, filter: string) =>
  `subscription(${variables}$after:String){bookEvents(${filter}after:$after){cursor event{label detail timestamp}}}`

/** The same of the feed of the book: events of the orders of one account, and of all. */
export const bookDocuments = {
  filtered: bookDocument('$account:Address!,', 'filter:{owners:[$account]},'),
  whole: bookDocument('', ''),
}

const digits = 8

/** Returns a message that carries its number: `#` and eight digits. */
export function messageOf(number: number, bytes: number): string {
  const text = `Order filled: 1.5 WETH for 4512.37 DAI #${String(number).padStart(digits, '0')}`
  return text.padEnd(bytes, ' more')
}

/** Returns the number of a message between two places of a text, or -1. */
export function numberIn(text: Buffer, from: number, to: number): number {
  const mark = text.indexOf(0x23, from)
  if (mark < 0 || mark + digits >= to) return -1
  let number = 0
  for (let at = mark + 1; at <= mark + digits; at++) number = number * 10 + (text[at] ?? 0) - 0x30
  return number
}

export function accountAt(index: number): string {
  return `0x${(index + 1).toString(16).padStart(40, '0')}`
}

/** Returns the first number after `number` that goes to an account, when accounts alternate. */
export function nextFor(account: number, accounts: number, number: number): number {
  const next = number + 1
  return next + ((account - (next % accounts) + accounts) % accounts)
}
