import { randomBytes, timingSafeEqual } from 'node:crypto'
import { Outage } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Clock } from '../../domain/log.ts'
import { type Channel, type EmailKeys, mailboxOf } from '../../domain/notification/channel.ts'
import type { Mailer, MailOutcome } from '../../outside/smtp.ts'
import { endChannel, findChannelById } from '../../storage/channels/channels.ts'
import type { Delivery } from '../../storage/channels/deliveries.ts'
import type { Database } from '../../storage/database/database.ts'
import { escapeHtml, type Message, messageOf, orderPageOf, pageOf, shortAccount } from './message.ts'
import type { Sender, SendResult } from './sender.ts'

export function newEmailKeys(): EmailKeys {
  return { leave: randomBytes(18).toString('base64url') }
}

/** A token for links: it can only end the channel, and needs no session. */
function unsubscribeToken({ id, keys }: Pick<Channel, 'id' | 'keys'>): string {
  return `${id}.${(keys as EmailKeys).leave}`
}

/**
 * Ends the channel of this token, for its receiver.
 * @returns whether it has ended, also before; false for an unknown token
 */
export async function unsubscribeByToken(
  token: string,
  { db, now }: { db: Database; now: Clock },
): Promise<boolean> {
  const [, id] = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.[\w-]{24}$/.exec(token) ?? []
  const channel = id === undefined ? undefined : await findChannelById(db, id)
  if (!channel) return false
  if (channel.state === 'ended') return true
  const [expected, given] = [Buffer.from(unsubscribeToken(channel)), Buffer.from(token)]
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false
  await db.transaction((tx) => endChannel(tx, channel.id, 'receiver', new Date(now())))
  return true
}

/** A mail before it is written as text and as HTML. All texts are plain. */
interface Letter {
  subject: string
  headline: string
  paragraphs: readonly Paragraph[]
  action: Link | null
  /** Small print, with the link by which the reader leaves. */
  footer: string
  leave: Link | null
}

interface Paragraph {
  title?: string
  text: string
  at?: Date
  link?: Link | null
}

interface Link {
  label: string
  url: string
}

const maxSubject = 150

/** @param line without characters that headers cannot have */
function subjectOf(line: string): string {
  const characters = [...line]
  return characters.length > maxSubject ? `${characters.slice(0, maxSubject - 1).join('')}…` : line
}

const lineOf = ({ label, url }: Link) => `${label}: ${url}`

const timeOf = (at: Date) => `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`

function textOf({ headline, paragraphs, action, footer, leave }: Letter): string {
  const parts = paragraphs.map(({ title, text, at, link }) =>
    [...(title ? [title] : []), text, ...(at ? [timeOf(at)] : []), ...(link ? [lineOf(link)] : [])].join(
      '\n',
    ),
  )
  const links = action ? [lineOf(action)] : []
  const small = ['-- ', footer, ...(leave ? [lineOf(leave)] : [])].join('\n')
  return `${[headline, ...parts, ...links, small].join('\n\n')}\n`
}

/** Writes HTML with styles in the elements, as many readers require; it loads no resources. */
function htmlOf({ subject, headline, paragraphs, action, footer, leave }: Letter): string {
  const parts = paragraphs.map(
    ({ title, text, at, link }) =>
      `<div style="margin:0 0 16px">${title ? `<strong>${escapeHtml(title)}</strong><br>` : ''}${escapeHtml(text)}${at ? `<br><span class="quiet" style="color:#667085;font-size:14px">${timeOf(at)}</span>` : ''}${link ? `<br><a class="link" href="${escapeHtml(link.url)}" style="color:#1f5fd6">${escapeHtml(link.label)}</a>` : ''}</div>`,
  )
  const button = action
    ? `<p style="margin:24px 0"><a class="button" href="${escapeHtml(action.url)}" style="display:inline-block;padding:12px 20px;border-radius:8px;background:#1f5fd6;color:#ffffff;text-decoration:none;font-weight:600">${escapeHtml(action.label)}</a></p>`
    : ''
  const end = leave
    ? ` <a class="quiet" href="${escapeHtml(leave.url)}" style="color:#667085">${escapeHtml(leave.label)}</a>`
    : ''
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subject)}</title>
<style>
:root { color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
  .page { background: #14161a !important; color: #e6e8ec !important; }
  .card { background: #1e2127 !important; }
  .quiet { color: #9aa3b2 !important; }
  .link { color: #7aa5ff !important; }
  .button { background: #7aa5ff !important; color: #10131a !important; }
}
</style>
</head>
<body class="page" style="margin:0;padding:16px;background:#f2f4f7;color:#1d2129;font:16px/1.5 -apple-system,'Segoe UI',Roboto,Arial,sans-serif;overflow-wrap:anywhere">
<div class="card" style="max-width:560px;margin:0 auto;padding:24px;border-radius:12px;background:#ffffff">
<h1 style="margin:0 0 16px;font-size:20px;line-height:1.3">${escapeHtml(headline)}</h1>
${parts.join('\n')}
${button}
<p class="quiet" style="margin:24px 0 0;color:#667085;font-size:13px">${escapeHtml(footer)}${end}</p>
</div>
</body>
</html>
`
}

interface EmailOptions {
  mailer: Mailer
  from: { name: string; address: string }
  /** Base of links. */
  publicUrl: URL
  /** Mails with one notification in a minute: further ones go together. */
  maxAlone: number
  now: Clock
}

/** Notifications in one mail. */
const maxDigest = 100
/** Mails that confirm a channel, in a day. */
const confirmations = { receiver: 3, account: 10, receiverOf: mailboxOf }

export const confirmPath = '/channels/confirm/'
export const unsubscribePath = '/channels/unsubscribe/'

/**
 * Sends mails that a reader can leave by one click (RFC 8058). Each attempt of a delivery has the same
 * Message-ID.
 */
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
      const leaving = linkTo(unsubscribePath, unsubscribeToken(channel))
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
  const messages = deliveries.map((delivery) => ({
    ...messageOf(delivery),
    link: linkTo('Show the order', orderPageOf(delivery, publicUrl)),
  }))
  const [first] = messages as [(typeof messages)[number]]
  const account = linkTo('Show the account', pageOf(channel, publicUrl))
  const isOne = messages.length === 1
  return {
    subject: subjectOf(isOne ? first.text : `${messages.length} notifications: ${counted(messages)}`),
    headline: isOne ? first.title : `${messages.length} notifications`,
    paragraphs: messages.map(({ title, text, at, link }) => ({
      ...(!isOne && !text.startsWith(title) && { title }),
      text,
      at,
      ...(!isOne && { link }),
    })),
    action: (isOne && first.link) || account,
    footer: `The account ${channel.account} has its notifications sent to this address.`,
    leave: { label: 'Stop these mails', url: leaving },
  }
}

function linkTo(label: string, url: string | null): Link | null {
  return url === null ? null : { label, url }
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

/** Codes of RFC 3463 for a mailbox that does not exist or no longer accepts mail. */
const goneCodes = new Set(['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10', '5.2.1'])
/** Statuses with the same meaning, from a server without such codes (RFC 5321, 4.2.3). */
const goneStatuses = new Set([550, 551, 553])

function toResult({ status, enhanced, isRecipient }: MailOutcome): SendResult {
  if (status >= 200 && status < 300) return { kind: 'sent', status }
  const fault = enhanced === null ? `status ${status}` : `status ${status} ${enhanced}`
  const isGone = isRecipient && (enhanced === null ? goneStatuses.has(status) : goneCodes.has(enhanced))
  return { kind: isGone ? 'gone' : 'failed', status, fault }
}
