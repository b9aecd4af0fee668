import { z } from 'zod'
import { toEmailAddress } from '../../domain/notification/email-address.ts'
import { integer, refuse } from '../settings/setting-readers.ts'

const isSmtpUrl = (text: string) => {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, pathname, search, hash } = new URL(text)
  return /^smtps?:$/.test(protocol) && hostname !== '' && /^\/?$/.test(pathname) && search + hash === ''
}

export const emailSettings = {
  SMTP_URL: z
    .string()
    .refine(isSmtpUrl, 'must be smtp:// or smtps://, with a host')
    .optional()
    .describe(
      'SMTP server for e-mail channels: `smtps://user:password@host`, or `smtp://` with STARTTLS, without which a password is sent to this machine only. Needs SMTP_FROM and PUBLIC_URL.',
    ),
  SMTP_FROM: z
    .string()
    .transform(
      (text, context) =>
        toMailbox(text) ?? refuse(context, 'must be an address, or a name and an address in <>'),
    )
    .optional()
    .describe('Sender of e-mails: an address, or `Name <address>`.'),
  EMAIL_MAX_PER_MINUTE: integer(1, 60)
    .default(5)
    .describe(
      'E-mails of one notification that a channel gets in a minute: more wait for its end, and go as one.',
    ),
}

interface Mailbox {
  name: string
  address: string
}

function toMailbox(text: string): Mailbox | undefined {
  const [, name = '', bracketed] = /^([\p{L}\p{N} .&'-]{0,60})<([^<>]*)>$/u.exec(text) ?? []
  const address = toEmailAddress(bracketed ?? text)
  return address === undefined ? undefined : { name: name.trim(), address }
}

/** Faults of settings that are valid each for itself. */
export function emailFaults({ SMTP_URL, SMTP_FROM }: { SMTP_URL?: unknown; SMTP_FROM?: unknown }): string[] {
  if ((SMTP_URL === undefined) === (SMTP_FROM === undefined)) return []
  return [
    SMTP_URL === undefined ? 'SMTP_URL: is needed with SMTP_FROM' : 'SMTP_FROM: is needed with SMTP_URL',
  ]
}
