import type { PlacementError } from '../order/order.ts'
import type { RefusalCode } from './refusal-codes.ts'

/** A refusal code, or the reason why an order placed on chain is never traded. */
export type ErrorCode = RefusalCode | PlacementError

/** The state after an error, by the kind of request. */
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

/** An error explained to a trader. */
export interface Explanation {
  meaning: string
  /** The advice. */
  advice: string
  /** The state after the error. */
  outcome: string
}

export interface Words {
  outcome: keyof typeof outcomes
  meaning?: string
  advice?: string
  /** True if the contract that takes sell tokens must be approved. */
  approves?: boolean
  /** Words that occur in messages but in no other text of the error. */
  heard?: string
}

/** Creates an error that a trader can do something about. */
export const words = (
  outcome: Words['outcome'],
  meaning: string,
  advice: string,
  more: Pick<Words, 'approves' | 'heard'> = {},
): Words => ({ outcome, meaning, advice, ...more })
/** Creates an error that only programs cause. Its meaning is the description in the list of codes. */
export const programs = (outcome: Words['outcome'], heard = ''): Words => ({ outcome, heard })
