import { Outage } from '../../../domain/errors/error.ts'
import type { Address } from '../../../domain/evm/address.ts'
import type { Clock } from '../../../domain/log.ts'
import type { Channel } from '../../../domain/notification/channel.ts'
import { mailboxOf } from '../../../domain/notification/email-address.ts'
import type { Mailer, MailOutcome } from '../../../outside/smtp.ts'
import type { Delivery } from '../../../storage/channels/deliveries.ts'
import { type Message, messageOf, pageOf } from '../message.ts'
import type { Sender, SendResult } from '../sender.ts'
import { shortAccount } from '../text.ts'
import { leaveToken } from './leave.ts'
import { htmlOf, type Letter, subjectOf, textOf } from './letter.ts'

export interface EmailOptions {
  mailer: Mailer
  from: { name: string; address: string }
  /** Where links lead. */
  publicUrl: URL
  /** Mails with one notification in a minute: more go together. */
  maxAlone: number
  now: Clock
}

/** Notifications in one mail. */
const maxDigest = 100
/** Mails that confirm a channel, in a day. */
const confirmations = { receiver: 3, account: 10, receiverOf: mailboxOf }

export const confirmPath = '/channels/confirm/'
export const leavePath = '/channels/unsubscribe/'

/** Sends mails that a reader can leave by one click (RFC 8058). Each attempt of a delivery has the same Message-ID. */
export function createEmailSender({ mailer, from, publicUrl, maxAlone, now }: EmailOptions): Sender {
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1)
  const linkTo = (path: string, token: string) => new URL(`${path}${token}`, publicUrl).href

  async function send(
    { address }: Channel,
    letter: Letter,
    more: { messageId?: string; headers?: Record<string, string> } = {},
  ): Promise<SendResult> {
    const { headers, ...id } = more
    try {
      const outcome = await mailer.send({
        ...id,
        from,
        to: { name: '', address },
        envelope: { from: from.address, to: [address] },
        subject: letter.subject,
        text: textOf(letter),
        html: htmlOf(letter),
        date: new Date(now()),
        headers: { 'Auto-Submitted': 'auto-generated', ...headers },
        xMailer: false,
      })
      return toResult(outcome)
    } catch (fault) {
      if (!(fault instanceof Outage)) throw fault
      return { kind: 'failed', status: null, fault: 'the SMTP server cannot be reached' }
    }
  }

  return {
    maxDigest,
    maxAlone,
    confirmations,
    send(channel, deliveries) {
      const [first] = deliveries
      if (!first) throw new RangeError('nothing to send')
      const leaving = linkTo(leavePath, leaveToken(channel))
      return send(channel, letterOf(channel, deliveries, publicUrl, leaving), {
        messageId: `<msg_${first.id}@${domain}>`,
        headers: {
          'List-Id': `Account notifications <notifications.${domain}>`,
          'List-Unsubscribe': `<${leaving}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        },
      })
    },
    sendConfirmation: (channel, token) =>
      send(channel, confirmationLetter(channel.account, linkTo(confirmPath, token))),
  }
}

function letterOf(
  channel: Channel,
  deliveries: readonly Delivery[],
  publicUrl: URL,
  leaving: string,
): Letter {
  const messages = deliveries.map((delivery) => messageOf(delivery))
  const [first] = messages as [Message]
  const page = pageOf(channel, publicUrl)
  const isOne = messages.length === 1
  return {
    subject: subjectOf(isOne ? first.text : `${messages.length} notifications: ${counted(messages)}`),
    headline: isOne ? first.title : `${messages.length} notifications`,
    paragraphs: messages.map(({ title, text, at }) => ({
      ...(!isOne && !text.startsWith(title) && { title }),
      text,
      at,
    })),
    action: page === null ? null : { label: 'Show the account', url: page },
    footer: `The account ${channel.account} has its notifications sent to this address.`,
    leave: { label: 'Stop these mails', url: leaving },
  }
}

/** "Order filled (7), Order expired (5)" */
function counted(messages: readonly Message[]): string {
  const counts = new Map<string, number>()
  for (const { title } of messages) counts.set(title, (counts.get(title) ?? 0) + 1)
  return [...counts].map(([title, count]) => `${title} (${count})`).join(', ')
}

function confirmationLetter(account: Address, url: string): Letter {
  return {
    subject: `Confirm notifications of ${shortAccount(account)}`,
    headline: 'Confirm your address',
    paragraphs: [
      { text: `The owner of the account ${account} wants its notifications sent to this address.` },
      { text: 'If that is you, confirm it within a day.' },
    ],
    action: { label: 'Confirm', url },
    footer: 'If it is not you, do nothing: no notifications will be sent.',
    leave: null,
  }
}

/** Codes of RFC 3463 by which a mailbox is not there, or takes nothing any more. */
const goneCodes = new Set(['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10', '5.2.1'])
/** Where a server gives none (RFC 5321, 4.2.3). */
const goneStatuses = new Set([550, 551, 553])

function toResult({ status, enhanced, isRecipient }: MailOutcome): SendResult {
  if (status >= 200 && status < 300) return { kind: 'sent', status }
  const fault = enhanced === null ? `status ${status}` : `status ${status} ${enhanced}`
  const isGone = isRecipient && (enhanced === null ? goneStatuses.has(status) : goneCodes.has(enhanced))
  return { kind: isGone ? 'gone' : 'failed', status, fault }
}
