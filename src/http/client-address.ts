import { BlockList, isIP, isIPv4 } from 'node:net'

/** Whether an address is one of our own proxies. */
export type IsTrusted = (address: string) => boolean

/** Addresses and CIDR ranges. @throws RangeError naming the one that is none */
export function trustedProxies(entries: readonly string[]): IsTrusted {
  if (entries.length === 0) return () => false
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', bits, rest] = entry.split('/')
    const version = isIP(address)
    const widest = version === 4 ? 32 : 128
    const isPrefix = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= widest)
    if (version === 0 || !isPrefix || rest !== undefined)
      throw new RangeError(`${entry} is no address or CIDR range`)
    list.addSubnet(address, bits === undefined ? widest : Number(bits), version === 4 ? 'ipv4' : 'ipv6')
  }
  return (address) => list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
}

/**
 * Whom a request counts for. The peer, unless it is a proxy that is trusted: then the right-most address of
 * `X-Forwarded-For` that is none. What stands left of it was said by the client, who could say anything.
 * `Forwarded` is not read: of two headers a proxy writes one, and the client could write the other.
 */
export function clientKey(peer: string | undefined, forwardedFor: string, isTrusted: IsTrusted): string {
  let address = plain(peer ?? '') ?? ''
  if (forwardedFor === '' || address === '' || !isTrusted(address)) return keyOf(address)
  for (const entry of forwardedFor.split(',').reverse()) {
    const next = plain(withoutPort(entry.trim()))
    // No address where a trusted proxy writes one: whoever sends that shares the proxy's own count.
    if (next === undefined) break
    address = next
    if (!isTrusted(address)) break
  }
  return keyOf(address)
}

/** `1.2.3.4:5678` and `[::1]:5678`, as some proxies write it. */
function withoutPort(entry: string): string {
  return /^\[([^\]]*)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry
}

/** Without its zone, and IPv4 as IPv4; `undefined` for what is no address. */
function plain(text: string): string | undefined {
  if (isIPv4(text)) return text
  const address = text.split('%', 1)[0] ?? ''
  if (isIP(address) !== 6) return undefined
  const groups = groupsOf(address)
  if (groups.slice(0, 5).some((group) => group !== 0) || groups[5] !== 0xffff) return address
  return [6, 7].flatMap((index) => bytesOf(groups[index] ?? 0)).join('.')
}

/** One household or machine has the last 64 bits for itself: it counts as one. */
function keyOf(address: string): string {
  if (!address.includes(':')) return address
  const network = groupsOf(address).slice(0, 4)
  return `${network.map((group) => group.toString(16)).join(':')}::/64`
}

/** The eight groups of a valid IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = [], tail = []] = address.split('::', 2).map(partsOf)
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail]
}

function partsOf(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap((part) => {
    if (!part.includes('.')) return [Number.parseInt(part, 16)]
    const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number)
    return [a * 256 + b, c * 256 + d]
  })
}

function bytesOf(group: number): [number, number] {
  return [group >> 8, group & 0xff]
}
