import type { Clock } from '../../domain/log.ts'
import type { Channel } from '../../domain/notification/channel.ts'
import type { Delivery } from '../../storage/channels/deliveries.ts'
import { escapeHtml, messageOf, orderPageOf, pageOf, shortAccount, truncated } from '../channels/message.ts'
import type { Sender } from '../channels/sender.ts'
import { type Bot, BotFault, createPace } from './bot.ts'

/** Limits by which the longest text stays under the 4,096 characters of a message. */
const maxDigest = 10
const maxText = 300
/** Telegram lets a bot send about one message a second to a chat. */
const paceMs = 1_000

interface TelegramOptions {
  bot: Bot
  publicUrl: URL | undefined
  now: Clock
}

/** Sends to chats: waiting deliveries share a message. The link that opens the chat confirms the channel. */
export function createTelegramSender({ bot, publicUrl, now }: TelegramOptions): Sender {
  const pace = createPace(paceMs, now)
  return {
    maxDigest,
    takeTurn: ({ address }, withinMs) => pace.take(address, withinMs),
    async send(channel, deliveries, signal) {
      if (channel.address === '') return { kind: 'gone', status: null, fault: 'there is no chat' }
      return await bot.send(channel.address, htmlOf(channel, deliveries, publicUrl), signal)
    },
    async sendConfirmation(_channel, token) {
      try {
        const confirmationLink = `https://t.me/${await bot.username()}?start=${token}`
        return { kind: 'sent', status: null, confirmationLink }
      } catch (fault) {
        if (!(fault instanceof BotFault)) throw fault
        return { kind: 'failed', status: fault.status, fault: fault.message }
      }
    },
  }
}

function htmlOf(channel: Channel, deliveries: readonly Delivery[], publicUrl: URL | undefined): string {
  const link = (page: string | null, text: string) =>
    page === null ? [] : [`<a href="${escapeHtml(page)}">${text}</a>`]
  const texts = deliveries.map((delivery) => {
    const { title, text } = messageOf(delivery)
    const lines = [`<b>${escapeHtml(title)}</b>`, escapeHtml(truncated(text, maxText))]
    return [...lines, ...link(orderPageOf(delivery, publicUrl), 'Show the order')].join('\n')
  })
  return [...texts, ...link(pageOf(channel, publicUrl), shortAccount(channel.account))].join('\n\n')
}
