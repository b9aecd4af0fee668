import type { Channel } from '../../domain/notification/channel.ts'
import type { ConfirmationLimits } from '../../storage/channels/channels.ts'
import type { Delivery } from '../../storage/channels/deliveries.ts'

/** How sending went. The texts of faults name no address: they are shown and logged. */
export type SendResult =
  | { kind: 'sent'; status: number | null }
  /** To be tried again; not before `retryAfterMs`, where the receiver names it. */
  | { kind: 'failed'; status: number | null; fault: string; retryAfterMs?: number | undefined }
  /** The receiver wants no more: the channel ends. */
  | { kind: 'gone'; status: number | null; fault: string }

/** A receiver’s next turn, in `waitMs`. One that was not taken is free for others. */
export interface TakenTurn {
  isTaken: boolean
  waitMs: number
}

/** What sends to the channels of one kind. */
export interface Sender {
  /** Deliveries that one message may hold. */
  maxDigest: number
  /** Messages of one delivery in a minute: more wait for its end, and go together. No limit when left out. */
  maxAlone?: number
  /** Tokens to confirm channels in a day, and whom an address reaches. No limit when left out. */
  confirmations?: ConfirmationLimits & { receiverOf(address: string): string }
  /**
   * Takes the receiver’s next turn before an attempt begins, unless that is later than in `withinMs`. No pace
   * when left out.
   */
  takeTurn?(channel: Channel, withinMs: number): TakenTurn
  /** Bounded in time; never throws for what a receiver does. Repeated attempts carry the same ids. */
  send(channel: Channel, deliveries: readonly Delivery[], signal: AbortSignal): Promise<SendResult>
  /** Sends the token that confirms the channel, or makes a link of it that its account follows. */
  sendConfirmation(
    channel: Channel,
    token: string,
  ): Promise<SendResult & { isConfirmed?: boolean; confirmationLink?: string }>
}
