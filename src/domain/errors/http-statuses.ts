import type { ForeignRow } from './foreign-errors.ts'
import type { RefusalCode } from './refusal-codes.ts'
import { type Explanation, outcomes, wait, waitAndLook } from './words.ts'

const refused = `${outcomes.any} An order that was placed before may still be filled.`
const pasteAll =
  'Paste the rest of the message too, above all the word after “errorType” or “code”: it says what is wrong.'

interface Status extends Explanation {
  words: string
  /** Other phrases that servers use. */
  heard?: string
  /** True if the phrases are also used for other errors. */
  isCommon?: boolean
  codes?: readonly RefusalCode[]
}

/**
 * Statuses of any server: wallets and programs that show only the status do not reveal which server answered.
 */
const statuses: Readonly<Record<number, Status>> = {
  400: {
    words: 'Bad Request',
    meaning: 'A server did not accept a request. Many errors have this status.',
    advice: pasteAll,
    outcome: refused,
  },
  403: {
    words: 'Forbidden',
    isCommon: true,
    meaning: 'A server refuses the request, for the account or for the place that it comes from.',
    advice: pasteAll,
    outcome: refused,
    codes: ['Forbidden'],
  },
  404: {
    words: 'Not Found',
    isCommon: true,
    meaning: 'A server has nothing where it was asked to look, such as no order with this number.',
    advice: pasteAll,
    outcome: refused,
  },
  429: {
    words: 'Too Many Requests',
    meaning: 'A server was asked too often in a short time.',
    advice: wait,
    outcome: refused,
    codes: ['RateLimited'],
  },
  500: {
    words: 'Internal Server Error',
    meaning: 'A server made a mistake of its own.',
    advice: `${pasteAll} ${waitAndLook}`,
    outcome: outcomes.unknown,
    codes: ['InternalServerError'],
  },
  502: {
    words: 'Bad Gateway',
    meaning: 'A server passed the request on, and got no answer that it understands.',
    advice: waitAndLook,
    outcome: outcomes.unknown,
  },
  503: {
    words: 'Service Unavailable',
    heard: 'service temporarily unavailable',
    meaning: 'A server cannot answer for the moment.',
    advice: `${pasteAll} ${waitAndLook}`,
    outcome: outcomes.unknown,
    codes: ['Unavailable'],
  },
  504: {
    words: 'Gateway Timeout',
    heard: 'gateway time out',
    meaning: 'A server passed the request on, and got no answer in time.',
    advice: waitAndLook,
    outcome: outcomes.unknown,
  },
}

export const statusRows = Object.entries(statuses).map(([number, status]): ForeignRow => {
  const { words, heard, isCommon = false, codes = [], ...said } = status
  const phrase = words.toLowerCase()
  const phrases = isCommon
    ? { alone: [number, phrase, `${number} ${phrase}`, `${phrase} ${number}`].join(', ') }
    : { alone: number, likely: heard === undefined ? phrase : `${phrase}, ${heard}` }
  return [
    { title: `HTTP status ${number}: ${words}`, ...said },
    { ...phrases, codes },
  ]
})
