import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Artifact } from './artifact.ts'

const folder = new URL('.', import.meta.url)

/** The contracts that get an artifact; their base contracts are compiled with them. */
export const contractNames = [
  'BalanceGuard',
  'BalanceProbe',
  'BalanceReader',
  'ContractWallet',
  'EthFlow',
  'FeeToken',
  'HooksTrampoline',
  'MetadataReader',
  'OrderCheck',
  'Pool',
  'PoolFactory',
  'PoolReader',
  'SettlementSequence',
  'SignatureCheck',
  'TestToken',
  'TokenCheck',
  'TradeCheck',
  'WrappedNative',
] as const

/** Contracts that use what Paris, the version of the others, lacks. */
const evmVersions: Readonly<Record<string, string>> = { 'BalanceGuard.sol': 'cancun' }

/** Transient storage breaks the composability of calls in a transaction: said of every use of it. */
const transientStorageWarning = '2394'

/** Contracts that also run on real networks, in eth_call or deployed. Their code is in `chain/bytecode`. */
export const embeddedCode = {
  OrderCheck: { file: 'order-check.ts', constant: 'orderCheckCode', code: 'deployedBytecode' },
  /** The constructors of those with `bytecode` return what they read: an eth_call creates them. */
  MetadataReader: { file: 'metadata-reader.ts', constant: 'metadataReaderCode', code: 'bytecode' },
  BalanceGuard: { file: 'balance-guard.ts', constant: 'balanceGuardCode', code: 'deployedBytecode' },
  BalanceProbe: { file: 'balance-probe.ts', constant: 'balanceProbeCode', code: 'deployedBytecode' },
  BalanceReader: { file: 'balance-reader.ts', constant: 'balanceReaderCode', code: 'bytecode' },
  PoolReader: { file: 'pool-reader.ts', constant: 'poolReaderCode', code: 'bytecode' },
  SettlementSequence: {
    file: 'settlement-sequence.ts',
    constant: 'settlementSequenceCode',
    code: 'deployedBytecode',
  },
  SignatureCheck: { file: 'signature-check.ts', constant: 'signatureCheckCode', code: 'bytecode' },
  TokenCheck: { file: 'token-check.ts', constant: 'tokenCheckCode', code: 'deployedBytecode' },
  TradeCheck: { file: 'trade-check.ts', constant: 'tradeCheckCode', code: 'deployedBytecode' },
} as const

interface CompilerOutput {
  errors?: { errorCode: string; severity: string; formattedMessage: string }[]
  contracts: Record<
    string,
    Record<string, { abi: Artifact['abi']; evm: Record<'bytecode' | 'deployedBytecode', { object: string }> }>
  >
}

/** Compiles every contract of this folder. The result depends on the sources and the compiler's version alone. */
export function compileContracts(): Artifact[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sol'))
  const names = contractNames.map((contractName) => [`${contractName}.sol`, contractName] as const)
  const versionOf = (file: string) => evmVersions[file] ?? 'paris'
  return [...new Set(files.map(versionOf))].flatMap((version) =>
    compileSources(
      files.filter((file) => versionOf(file) === version).map((file) => new URL(file, folder)),
      names.filter(([file]) => versionOf(file) === version),
      version,
    ),
  )
}

/** @param names file and name of each contract to return */
export function compileSources(
  files: readonly URL[],
  names: readonly (readonly [string, string])[],
  evmVersion = 'paris',
): Artifact[] {
  const solc: { compile(input: string): string } = createRequire(import.meta.url)('solc')
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(
      files.map((file) => [path.basename(file.pathname), { content: readFileSync(file, 'utf8') }]),
    ),
    settings: {
      evmVersion,
      optimizer: { enabled: true, runs: 200 },
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    },
  }
  const output: CompilerOutput = JSON.parse(solc.compile(JSON.stringify(input)))
  const [fault] = (output.errors ?? []).filter(({ errorCode }) => errorCode !== transientStorageWarning)
  if (fault) throw new Error(fault.formattedMessage)
  return names.map(([file, contractName]) => {
    const compiled = output.contracts[file]?.[contractName]
    if (!compiled) throw new Error(`${contractName} is not in its file`)
    const { abi, evm } = compiled
    return {
      contractName,
      abi,
      bytecode: `0x${evm.bytecode.object}`,
      deployedBytecode: `0x${evm.deployedBytecode.object}`,
    }
  })
}

export function writeArtifacts(): void {
  mkdirSync(new URL('artifacts/', folder), { recursive: true })
  for (const artifact of compileContracts()) {
    const file = new URL(`artifacts/${artifact.contractName}.json`, folder)
    writeFileSync(file, `${JSON.stringify(artifact, undefined, 2)}\n`)
    const embedded = Object.entries(embeddedCode).find(([name]) => name === artifact.contractName)?.[1]
    if (embedded)
      writeFileSync(new URL(`../../chain/bytecode/${embedded.file}`, folder), toSource(artifact, embedded))
  }
}

export function toSource(
  artifact: Artifact,
  { constant, code }: (typeof embeddedCode)[keyof typeof embeddedCode],
): string {
  return `import type { Hex } from '../../domain/evm/hex.ts'

/** ${artifact.contractName}.sol as the compiler made it. */
export const ${constant}: Hex =
  '${artifact[code]}'
`
}

const [, program = '', flag] = process.argv
if (import.meta.url === pathToFileURL(program).href && flag === '--write') writeArtifacts()
