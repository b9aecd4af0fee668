import { expect, test } from 'vitest'
import { affiliateNetwork } from '../../src/app/config.ts'
import { createNetwork } from '../setup/evm.ts'

const [sepolia, home, gnosis] = [
  { network: createNetwork({ name: 'sepolia', chainId: 11155111 }) },
  { network: createNetwork({ name: 'home', chainId: 1 }) },
  { network: createNetwork({ name: 'xdai', chainId: 100 }) },
]

test.each([
  ['the network of chain id 1 where it is served, whatever its name', [sepolia, home], undefined, home],
  ['the first network where chain id 1 is not served', [sepolia, gnosis], undefined, sepolia],
  ['the network that the setting names', [sepolia, home, gnosis], 'gnosis', gnosis],
  ['the network whose chain id the setting has', [sepolia, home, gnosis], '100', gnosis],
  ['no network where none is served', [], undefined, undefined],
])('signatures of wallets are checked on %s', (_, networks, AFFILIATE_NETWORK, expected) => {
  expect(affiliateNetwork(networks, { AFFILIATE_NETWORK })).toBe(expected)
})
