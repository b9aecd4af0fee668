import type { Address } from '../../src/domain/evm/address.ts'
import type { Evm } from '../setup/evm.ts'
import { readCompiled } from './compiled.ts'

const names = [
  'ContextToken',
  'ContextWallet',
  'CuriousToken',
  'DearToken',
  'FalseToken',
  'FeeAtToken',
  'FlaggedToken',
  'GasToken',
  'GenerousToken',
  'GonsToken',
  'Holder',
  'LedgerToken',
  'LyingToken',
  'PackedToken',
  'PlacedToken',
  'PlainToken',
  'ProxyToken',
  'ReflectionToken',
  'SeededToken',
  'SharesToken',
  'SilentToken',
  'StrictToken',
  'WordyToken',
] as const

export type OddName = (typeof names)[number]

const contracts = readCompiled('odd-tokens.sol', names)

function contractOf(name: OddName) {
  const contract = contracts.find(({ contractName }) => contractName === name)
  if (!contract) throw new Error(`no ${name}`)
  return contract
}

/** @param words constructor arguments */
export function deployOdd(evm: Evm, name: OddName, words: readonly (bigint | Address)[] = []) {
  const values = words.map((word) => BigInt(word))
  return evm.deploy(
    contractOf(name),
    values.map(() => 'uint256'),
    values,
  )
}

/** The token's storage with another contract's code. */
export async function deployBehindProxy(evm: Evm, name: OddName) {
  const implementation = await deployOdd(evm, name)
  const { bytecode } = contractOf('ProxyToken')
  return evm.deploy({ bytecode, abi: contractOf(name).abi }, ['address'], [implementation.address])
}
