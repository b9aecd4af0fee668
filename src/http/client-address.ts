import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'
import proxyAddress from 'proxy-addr'
import { remembering } from './remembering.ts'

/** Whether an address is one of our own proxies. */
export type IsTrusted = (address: string) => boolean

/**
 * Addresses and CIDR ranges. proxy-addr's own reading of them takes names and netmasks too, but no `0.0.0.0/0`.
 * @throws RangeError naming the one that is none
 */
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
  const from = read(peer ?? '')
  if (forwardedFor === '' || from.address === '' || !isTrusted(from.address)) return from.key
  const headers: IncomingHttpHeaders = { 'x-forwarded-for': forwardedFor }
  const chain = proxyAddress.all({ headers, socket: { remoteAddress: peer } } as IncomingMessage, (entry) =>
    isTrusted(read(entry).address),
  )
  // No address where a trusted proxy writes one: whoever sends that shares the proxy's own count.
  const nearest = chain.findLast((entry) => read(entry).address !== '')
  return read(nearest ?? '').key
}

interface Read {
  /** Without port and zone, and IPv4 as IPv4; empty for what is no address. */
  address: string
  /** One household or machine has the last 64 bits for itself: it counts as one. */
  key: string
}

const read = remembering((entry): Read => {
  // `1.2.3.4:5678` and `[::1]:5678`, as some proxies write it.
  const text = /^\[([^\]]*)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry
  if (isIP(text) === 0) return { address: '', key: '' }
  const ip = ipaddr.process(text)
  if (!(ip instanceof ipaddr.IPv6)) return { address: ip.toString(), key: ip.toString() }
  const network = ip.parts.slice(0, 4).map((group) => group.toString(16))
  return { address: text.split('%', 1)[0] ?? '', key: `${network.join(':')}::/64` }
})
