import { expect, test } from 'vitest'
import { affiliateNetwork } from '../../src/app/config.ts'
import { createNetwork } from '../setup/evm.ts'

const [sepolia, home, gnosis] = [
  { network: createNetwork({ name: 'sepolia', chainId: 11155111 }) },
  { network: createNetwork({ name: 'home', chainId: 1 }) },
  { network: createNetwork({ name: 'xdai', chainId: 100 }) },
]

test.each([
  ['mainnet where that is served, whatever it is called', [sepolia, home], undefined, home],
  ['the first network where it is not', [sepolia, gnosis], undefined, sepolia],
  ['the one that the setting names', [sepolia, home, gnosis], 'gnosis', gnosis],
  ['the one of its chain id', [sepolia, home, gnosis], '100', gnosis],
  ['none where there is none', [], undefined, undefined],
])('wallets are asked on %s', (_, networks, AFFILIATE_NETWORK, expected) => {
  expect(affiliateNetwork(networks, { AFFILIATE_NETWORK })).toBe(expected)
})
