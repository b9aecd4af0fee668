import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { Artifact } from './artifact.ts'

const folder = new URL('.', import.meta.url)

/** The contracts that are deployed; what they inherit from is compiled with them. */
export const contractNames = [
  'ContractWallet',
  'FeeToken',
  'HooksTrampoline',
  'OrderCheck',
  'Pool',
  'PoolFactory',
  'TestToken',
  'WrappedNative',
] as const

/** The one contract that runs on real networks too, inside a call: the program has its code in a source file. */
const checkingCode = new URL('../../chain/order-check-code.ts', folder)

interface CompilerOutput {
  errors?: { severity: string; formattedMessage: string }[]
  contracts: Record<
    string,
    Record<string, { abi: Artifact['abi']; evm: Record<'bytecode' | 'deployedBytecode', { object: string }> }>
  >
}

/** Compiles every contract of this folder. The result depends on the sources and the compiler's version alone. */
export function compileContracts(): Artifact[] {
  const solc: { compile(input: string): string } = createRequire(import.meta.url)('solc')
  const files = readdirSync(folder).filter((file) => file.endsWith('.sol'))
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(
      files.map((file) => [file, { content: readFileSync(new URL(file, folder), 'utf8') }]),
    ),
    settings: {
      evmVersion: 'paris',
      optimizer: { enabled: true, runs: 200 },
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    },
  }
  const output: CompilerOutput = JSON.parse(solc.compile(JSON.stringify(input)))
  const [fault] = output.errors ?? []
  if (fault) throw new Error(fault.formattedMessage)
  return contractNames.map((contractName) => {
    const compiled = output.contracts[`${contractName}.sol`]?.[contractName]
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
    if (artifact.contractName === 'OrderCheck') writeFileSync(checkingCode, toSource(artifact))
  }
}

export function toSource({ contractName, deployedBytecode }: Artifact): string {
  return `import type { Hex } from '../domain/hex.ts'

/** ${contractName}.sol as the compiler made it. */
export const orderCheckCode: Hex =
  '${deployedBytecode}'
`
}

const [, program = '', flag] = process.argv
if (import.meta.url === pathToFileURL(program).href && flag === '--write') writeArtifacts()
