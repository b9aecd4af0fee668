import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'
import proxyAddress from 'proxy-addr'
import { memoize } from '../domain/derived.ts'

/** Reports whether an address is one of the operator's proxies. */
export type IsTrusted = (address: string) => boolean

/**
 * Creates the check of proxies.
 * @param entries addresses and CIDR ranges. proxy-addr's own parser takes names and netmasks too, but not
 *   `0.0.0.0/0`
 * @throws RangeError with the entry that is neither
 */
export function trustedProxies(entries: readonly string[]): IsTrusted {
  if (entries.length === 0) return () => false
  const trusted = new BlockList()
  for (const entry of entries) {
    const [address = '', prefix, rest] = entry.split('/')
    const version = isIP(address)
    const maxPrefix = version === 4 ? 32 : 128
    const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= maxPrefix)
    if (version === 0 || !isPrefix || rest !== undefined)
      throw new RangeError(`${entry} is not an address or CIDR range`)
    trusted.addSubnet(
      address,
      prefix === undefined ? maxPrefix : Number(prefix),
      version === 4 ? 'ipv4' : 'ipv6',
    )
  }
  return (address) => trusted.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
}

/**
 * The key under which limits count a request. It is made from the peer's address or, if the peer is a trusted
 * proxy, from the right-most address of `X-Forwarded-For` that is not one. Entries left of that come from the
 * client, and may be forged. `Forwarded` is not read: a proxy writes one of the two headers, and the client
 * could forge the other.
 */
export function clientKey(peer: string | undefined, forwardedFor: string, isTrusted: IsTrusted): string {
  const peerAddress = parseAddress(peer ?? '')
  if (forwardedFor === '' || peerAddress.address === '' || !isTrusted(peerAddress.address))
    return peerAddress.key
  const headers: IncomingHttpHeaders = { 'x-forwarded-for': forwardedFor }
  const chain = proxyAddress.all({ headers, socket: { remoteAddress: peer } } as IncomingMessage, (entry) =>
    isTrusted(parseAddress(entry).address),
  )
  // An entry that is not an address is skipped: such clients share the key of the proxy.
  const nearest = chain.findLast((entry) => parseAddress(entry).address !== '')
  return parseAddress(nearest ?? '').key
}

interface ParsedAddress {
  /**
   * The address without port and zone, with IPv4-mapped addresses as IPv4; empty for text that is not an
   * address.
   */
  address: string
  /**
   * The key. IPv6 is identified by its first 64 bits, because one household or machine may use all addresses
   * of such a network.
   */
  key: string
}

/** Reports whether a request comes from one of the operator's proxies. */
export function isTrustedPeer(peer: string | undefined, isTrusted: IsTrusted): boolean {
  const { address } = parseAddress(peer ?? '')
  return address !== '' && isTrusted(address)
}

const parseAddress = memoize((entry): ParsedAddress => {
  // Some proxies add a port: `1.2.3.4:5678` or `[::1]:5678`.
  const text = /^\[([^\]]*)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry
  if (isIP(text) === 0) return { address: '', key: '' }
  const ip = ipaddr.process(text)
  if (!(ip instanceof ipaddr.IPv6)) return { address: ip.toString(), key: ip.toString() }
  const network = ip.parts.slice(0, 4).map((group) => group.toString(16))
  return { address: text.split('%', 1)[0] ?? '', key: `${network.join(':')}::/64` }
})
