import { printable } from '../../outside/fault.ts'

const maxLine = 1_000

/**
 * A text as one line of visible characters that no reader makes a link of: symbols of tokens may be anything. URLs are left out; names of
 * hosts, mentions, numbers to call and commands are broken up, as in `claim[.]example`. `USDC.e` stays.
 */
export function unlinked(text: string): string {
  return (printable(text, maxLine) ?? '')
    .replace(/[.。．｡](?=\p{L}{2})/gu, '[.]')
    .replace(/([@+])(?=[\p{L}\p{N}_])/gu, '[$1]')
    .replace(/(?<!\S)\/(?=\p{L})/gu, '[/]')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** For the content of elements, and for attributes in quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '')
}

/** At most so many UTF-16 units. */
export function shortened(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text
}

export function shortAccount(account: string): string {
  return `${account.slice(0, 6)}…${account.slice(-4)}`
}
