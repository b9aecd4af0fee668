import type { PlacementError } from '../order/order.ts'
import type { RefusalCode } from './refusal-codes.ts'

/** A refusal, or why an order that was placed on chain is never traded. */
export type ErrorCode = RefusalCode | PlacementError

/** What is true after an error, by what was asked for. */
export const outcomes = {
  placing: 'The order was refused: it was not placed, and nothing was sold.',
  quoting: 'Only a price was asked for: no order was sent yet, and nothing was sold.',
  cancelling: 'The request was refused as a whole: it cancelled no order, and placed none.',
  replacing: 'The new order was not placed, and the old one not cancelled: it may still be filled.',
  placingOrCancelling:
    'The request was refused. A new order was not placed, and nothing of it was sold. A cancellation changed nothing about its order.',
  there: 'The order is there, once: nothing was placed a second time.',
  uploading:
    'Only a document that orders name was sent: no order was placed or changed, and nothing was sold.',
  reading: 'Only news of orders was read: that placed, changed and sold nothing.',
  onChain:
    'The order is on chain, but no auction takes it: nothing was sold. Its coins stay with the contract that holds them until the order is cancelled or they are paid back.',
  any: 'The request was refused: it placed, changed and sold nothing.',
  unknown: 'Whether the request was carried out is not certain.',
} as const

export const wait = 'Wait a minute, then try again.'
export const waitAndLook = `${wait} If an order was sent, search for your account first: it may be there.`

/** An error in the words of a trader. */
export interface Explanation {
  meaning: string
  /** What to do. */
  advice: string
  /** What is true now. */
  outcome: string
}

export interface Words {
  outcome: keyof typeof outcomes
  meaning?: string
  advice?: string
  /** Whether the contract that takes sell tokens has to be approved. */
  approves?: boolean
  /** Words that messages have, and no other text of the error. */
  heard?: string
}

/** An error that a trader can do something about. */
export const words = (
  outcome: Words['outcome'],
  meaning: string,
  advice: string,
  more: Pick<Words, 'approves' | 'heard'> = {},
): Words => ({ outcome, meaning, advice, ...more })
/** An error that only a program makes: the meaning is that of the list of codes. */
export const programs = (outcome: Words['outcome'], heard = ''): Words => ({ outcome, heard })
