import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clientKey, trustedProxies } from '../../src/http/client-address.ts'

const noProxies = trustedProxies([])
const proxies = trustedProxies(['10.0.0.0/8', '192.0.2.7', 'fd00::/8'])

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['::ffff:cb00:7109', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['2001:DB8:0001:2::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['64:ff9b::1.2.3.4', '64:ff9b:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  [undefined, ''],
])('a peer at %s has the key %s', (peer, key) => {
  expect(clientKey(peer, '', noProxies)).toBe(key)
})

test.each([
  ['one proxy', '10.1.1.1', '203.0.113.9', '203.0.113.9'],
  ['a proxy over IPv6', '::ffff:10.1.1.1', '2001:db8:1:2::7', '2001:db8:1:2::/64'],
  ['two proxies', '192.0.2.7', '203.0.113.9, 10.2.2.2', '203.0.113.9'],
  ['a client that makes addresses up', '10.1.1.1', '1.1.1.1, 10.9.9.9, 203.0.113.9', '203.0.113.9'],
  ['ports', '10.1.1.1', '203.0.113.9:4711, [fd00::1]:80', '203.0.113.9'],
  ['only proxies', '10.1.1.1', '10.3.3.3, 10.2.2.2', '10.3.3.3'],
  ['no address where the proxy writes one', '10.1.1.1', '203.0.113.9, unknown', '10.1.1.1'],
  ['no address further left', '10.1.1.1', 'garbage, 10.2.2.2', '10.2.2.2'],
  ['no header', '10.1.1.1', '', '10.1.1.1'],
  ['a peer that is no proxy', '203.0.113.9', '1.1.1.1', '203.0.113.9'],
])('%s', (_what, peer, forwardedFor, key) => {
  expect(clientKey(peer, forwardedFor, proxies)).toBe(key)
})

const anything = fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.constantFrom('10.1.2.3', 'fd00::1', ',', ''))

test('a client cannot choose its key: only headers that a trusted proxy wrote count', () => {
  fc.assert(
    fc.property(fc.ipV4(), fc.array(anything), (client, made) => {
      fc.pre(!proxies(client))
      const header = made.join(', ')
      expect(clientKey(client, header, noProxies)).toBe(client)
      expect(clientKey(client, header, proxies)).toBe(client)
      expect(clientKey('10.1.1.1', `${header}, ${client}`, proxies)).toBe(client)
    }),
  )
})

test('all addresses of one /64 have one key, and those of another have another', () => {
  const group = fc.integer({ min: 0, max: 0xffff })
  const network = fc.array(group, { minLength: 4, maxLength: 4 }).filter(([first = 0]) => first > 0)
  const host = fc.array(group, { minLength: 4, maxLength: 4 })
  const text = (groups: number[]) => groups.map((each) => each.toString(16)).join(':')
  fc.assert(
    fc.property(network, network, host, host, (one, other, here, there) => {
      const keyOf = (groups: number[]) => clientKey(text(groups), '', noProxies)
      expect(keyOf([...one, ...here])).toBe(keyOf([...one, ...there]))
      expect(keyOf([...one, ...here]) === keyOf([...other, ...here])).toBe(text(one) === text(other))
    }),
  )
})

test.each(['10.0.0.0/33', 'proxy.example', '10.0.0.0/8/8', '::/129', '10.0.0.1/', ''])(
  '%s is no proxy',
  (entry) => {
    expect(() => trustedProxies([entry])).toThrow('is not an address or CIDR range')
  },
)
