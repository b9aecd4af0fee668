const maxLength = 254

/**
 * Parses a plain ASCII address without quoting, within the bounds of RFC 5321, and converts its domain to
 * lowercase. Returns undefined for anything else: names, several addresses, addresses of hosts, line breaks.
 */
export function toEmailAddress(text: string): string | undefined {
  const at = text.lastIndexOf('@')
  const [local, domain] = [text.slice(0, at), text.slice(at + 1).toLowerCase()]
  const labels = domain.split('.')
  const isAddress =
    at > 0 &&
    text.length <= maxLength &&
    local.length <= 64 &&
    local.split('.').every((atom) => /^[\w!#$%&'*+/=?^`{|}~-]+$/.test(atom)) &&
    labels.length > 1 &&
    labels.every((label) => /^[a-z0-9-]{1,63}$/.test(label) && !/^-|-$/.test(label)) &&
    /[a-z]/.test(labels.at(-1) ?? '')
  return isAddress ? `${local}@${domain}` : undefined
}

/**
 * The mailbox of an address. It is equal for spellings that many providers deliver to one mailbox: letter
 * case, dots, and a suffix after a plus.
 */
export function mailboxOf(address: string): string {
  const at = address.lastIndexOf('@')
  const [name = ''] = address.slice(0, at).toLowerCase().split('+', 1)
  return `${name.replaceAll('.', '') || address.slice(0, at)}${address.slice(at)}`
}
