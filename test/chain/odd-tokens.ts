import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { Artifact } from '../../src/dev/contracts/artifact.ts'
import { compileSources } from '../../src/dev/contracts/compile.ts'
import type { Address } from '../../src/domain/address.ts'
import { keccakText } from '../../src/domain/keccak.ts'
import type { Evm } from './evm.ts'

const names = [
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

interface Compiled {
  /** Of what text these are made. */
  source: string
  contracts: Pick<Artifact, 'contractName' | 'abi' | 'bytecode'>[]
}

const source = new URL('odd-tokens.sol', import.meta.url)
const artifacts = new URL('artifacts/odd-tokens.json', import.meta.url)
const { contracts } = readCompiled()

/** The compiler takes seconds: what it made is kept, and made anew when the source is another. */
function readCompiled(): Compiled {
  const hash = keccakText(readFileSync(source, 'utf8') + names)
  try {
    const kept: Compiled = JSON.parse(readFileSync(artifacts, 'utf8'))
    if (kept.source === hash) return kept
  } catch {
    // Not made yet.
  }
  const made = compileSources(
    [source],
    names.map((name) => ['odd-tokens.sol', name]),
  )
  const compiled = {
    source: hash,
    contracts: made.map(({ contractName, abi, bytecode }) => ({ contractName, abi, bytecode })),
  }
  mkdirSync(new URL('.', artifacts), { recursive: true })
  writeFileSync(artifacts, `${JSON.stringify(compiled)}\n`)
  return compiled
}

function contractOf(name: OddName) {
  const contract = contracts.find(({ contractName }) => contractName === name)
  if (!contract) throw new Error(`no ${name}`)
  return contract
}

/** @param words what its constructor takes */
export function deployOdd(evm: Evm, name: OddName, words: readonly (bigint | Address)[] = []) {
  const values = words.map((word) => BigInt(word))
  return evm.deploy(
    contractOf(name),
    values.map(() => 'uint256'),
    values,
  )
}

/** Its storage, and the code of another contract. */
export async function deployBehindProxy(evm: Evm, name: OddName) {
  const implementation = await deployOdd(evm, name)
  const { bytecode } = contractOf('ProxyToken')
  return evm.deploy({ bytecode, abi: contractOf(name).abi }, ['address'], [implementation.address])
}
