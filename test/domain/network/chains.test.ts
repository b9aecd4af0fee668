import { expect, test } from 'vitest'
import { chainIdOfName, chains, goesBy, isTestChain, nativeCoin } from '../../../src/domain/network/chains.ts'

test.each([
  [1, ['mainnet', 'ethereum', '1', 'Mainnet']],
  [100, ['xdai', 'gnosis', 'gnosis_chain', 'gnosis-chain', '100']],
  [42161, ['arbitrum_one', 'arbitrum-one', 'arbitrum', '42161']],
  [8453, ['base', '8453']],
  [11155111, ['sepolia', '11155111']],
  [137, ['polygon', 'polygon-pos', '137']],
  [43114, ['avalanche', '43114']],
  [56, ['bnb', 'binance-smart-chain', '56']],
  [59144, ['linea', '59144']],
  [9745, ['plasma', '9745']],
  [57073, ['ink', '57073']],
  [10, ['optimism', 'optimistic-ethereum', '10']],
])('chain %i has the names %j', (chainId, names) => {
  expect(names.map(chainIdOfName)).toEqual(names.map(() => chainId))
})

test('a chain id is found by its number, also without a name', () => {
  expect(chainIdOfName('31337')).toBe(31337)
  for (const name of ['', '0', '01', '-1', '1.0', '0x1', '1e3', 'nowhere', 'constructor', '9'.repeat(17)]) {
    expect([name, chainIdOfName(name)]).toEqual([name, undefined])
  }
})

test('tokens of test networks and of local chains have no value', () => {
  const tests = [...chains.keys(), 1337, 31_337, 5_001].filter(isTestChain)
  expect(tests).toEqual([11_155_111, 1337, 31_337])
})

test('no two chains share a name', () => {
  const names = [...chains.values()].flatMap(({ names }) => names)
  expect(new Set(names).size).toBe(names.length)
})

test('a network goes by its own name and the names of its chain', () => {
  const network = { name: 'home', chainId: 100 }
  const names = ['home', 'gnosis', '100', 'Home', 'sepolia', '1', 'nowhere']
  expect(names.filter((name) => goesBy(network, name))).toEqual(['home', 'gnosis', '100'])
})

test('the native coin has the name of its chain, where that is known', () => {
  const address = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
  expect(nativeCoin(100)).toEqual({ chainId: 100, address, symbol: 'xDAI', name: 'xDAI', decimals: 18 })
  expect(nativeCoin(31_337)).toEqual({ chainId: 31_337, address, symbol: null, name: null, decimals: 18 })
})
