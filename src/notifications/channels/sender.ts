import type { Channel } from '../../domain/notification/channel.ts'
import type { ConfirmationLimits } from '../../storage/channels/channels.ts'
import type { Delivery } from '../../storage/channels/deliveries.ts'

/** The result of sending. The texts of faults name no address: they are shown and logged. */
export type SendResult =
  | { kind: 'sent'; status: number | null }
  /** A failure to try again, not before `retryAfterMs` if the receiver names it. */
  | { kind: 'failed'; status: number | null; fault: string; retryAfterMs?: number | undefined }
  /** The receiver accepts no more: the channel ends. */
  | { kind: 'gone'; status: number | null; fault: string }

/** A receiver’s next turn, in `waitMs`. Others can use one that was not taken. */
export interface TakenTurn {
  isTaken: boolean
  waitMs: number
}

/** Sender to the channels of one kind. */
export interface Sender {
  /** Deliveries that one message may hold. */
  maxDigest: number
  /** Messages of one delivery in a minute: others wait for its end and go together. Default: no limit. */
  maxAlone?: number
  /** Confirmation tokens in a day, and the recipient of an address. Default: no limit. */
  confirmations?: ConfirmationLimits & { receiverOf(address: string): string }
  /** Takes the receiver’s next turn before an attempt, if it is within `withinMs`. No pace by default. */
  takeTurn?(channel: Channel, withinMs: number): TakenTurn
  /** Bounded in time; never throws for a fault of a receiver. Repeated attempts carry the same ids. */
  send(channel: Channel, deliveries: readonly Delivery[], signal: AbortSignal): Promise<SendResult>
  /** Sends the token that confirms the channel, or makes a link of it that its account follows. */
  sendConfirmation(
    channel: Channel,
    token: string,
  ): Promise<SendResult & { isConfirmed?: boolean; confirmationLink?: string }>
}
