import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Artifact } from './artifact.ts'

const folder = new URL('.', import.meta.url)

/** All compiled contracts; their base contracts are compiled with them. */
export const contractNames = [
  'AuthorisationReader',
  'BalanceGuard',
  'BalanceProbe',
  'BalanceReader',
  'ComposableCow',
  'ContractWallet',
  'CurrentBlockTimestampFactory',
  'EthFlow',
  'ExtensibleFallbackHandler',
  'FeeToken',
  'ForwarderWallet',
  'GoodAfterTime',
  'HooksTrampoline',
  'MetadataReader',
  'Multicall3',
  'OrderCheck',
  'PerpetualStableSwap',
  'Pool',
  'PoolFactory',
  'PoolReader',
  'PriceOracle',
  'SafeWallet',
  'SettlementSequence',
  'ShedFactory',
  'SignatureCheck',
  'StopLoss',
  'TestToken',
  'TokenCheck',
  'TradeAboveThreshold',
  'TradeCheck',
  'Twap',
  'WrappedNative',
] as const

export type ContractName = (typeof contractNames)[number]

/** Files with more than one contract. The other contracts are in a file of their own name. */
const sharedFiles: Readonly<Record<string, readonly ContractName[]>> = {
  'ConditionalOrders.sol': [
    'CurrentBlockTimestampFactory',
    'GoodAfterTime',
    'PerpetualStableSwap',
    'PriceOracle',
    'StopLoss',
    'TradeAboveThreshold',
    'Twap',
  ],
  'ConditionalWallets.sol': ['ExtensibleFallbackHandler', 'ForwarderWallet', 'SafeWallet', 'ShedFactory'],
}

function fileOf(name: ContractName): string {
  const shared = Object.entries(sharedFiles).find(([, names]) => names.includes(name))
  return shared?.[0] ?? `${name}.sol`
}

/** Contracts that need more than Paris, the version of the other contracts. */
const evmVersions: Readonly<Record<string, string>> = { 'BalanceGuard.sol': 'cancun' }

/** A warning for every transient storage, which breaks the composability of calls in a transaction. */
const transientStorageWarning = '2394'

/**
 * Contracts that also run on real networks, in eth_call or deployed, and the code of each that
 * `chain/bytecode.generated.ts` has.
 */
const embeddedCode: Partial<Record<ContractName, 'bytecode' | 'deployedBytecode'>> = {
  AuthorisationReader: 'bytecode',
  BalanceGuard: 'deployedBytecode',
  BalanceProbe: 'deployedBytecode',
  // The constructors of those with `bytecode` return their result: an eth_call creates them.
  BalanceReader: 'bytecode',
  MetadataReader: 'bytecode',
  OrderCheck: 'deployedBytecode',
  PoolReader: 'bytecode',
  SettlementSequence: 'deployedBytecode',
  SignatureCheck: 'bytecode',
  TokenCheck: 'deployedBytecode',
  TradeCheck: 'deployedBytecode',
}

/** True for contracts with an artifact, which the local chain and tests deploy. */
export const hasArtifact = (name: ContractName) => !(name in embeddedCode) || name === 'BalanceGuard'

interface CompilerOutput {
  errors?: { errorCode: string; severity: string; formattedMessage: string }[]
  contracts: Record<
    string,
    Record<string, { abi: Artifact['abi']; evm: Record<'bytecode' | 'deployedBytecode', { object: string }> }>
  >
}

/**
 * Compiles every contract of this folder. The result depends on the sources and the compiler's version alone.
 */
export function compileContracts(): Artifact[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sol'))
  const names = contractNames.map((contractName) => [fileOf(contractName), contractName] as const)
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

export const embeddedFile = new URL('../../chain/bytecode.generated.ts', folder)

function writeArtifacts(): void {
  mkdirSync(new URL('artifacts/', folder), { recursive: true })
  const compiled = compileContracts()
  for (const artifact of compiled) {
    if (!hasArtifact(artifact.contractName as ContractName)) continue
    const file = new URL(`artifacts/${artifact.contractName}.json`, folder)
    writeFileSync(file, `${JSON.stringify(artifact, undefined, 2)}\n`)
  }
  writeFileSync(embeddedFile, embeddedSource(compiled))
}

/** The source file with the code of the embedded contracts. */
export function embeddedSource(artifacts: readonly Artifact[]): string {
  const constants = artifacts.flatMap((artifact) => {
    const { contractName } = artifact
    const code = embeddedCode[contractName as ContractName]
    if (!code) return []
    const constant = `${contractName.charAt(0).toLowerCase()}${contractName.slice(1)}Code`
    return [
      `/** The compiled code of ${contractName}.sol. */\nexport const ${constant}: Hex =\n  '${artifact[code]}'\n`,
    ]
  })
  return [`import type { Hex } from '../domain/evm/hex.ts'\n`, ...constants.toSorted()].join('\n')
}

const [, program = '', flag] = process.argv
if (import.meta.url === pathToFileURL(program).href && flag === '--write') writeArtifacts()
