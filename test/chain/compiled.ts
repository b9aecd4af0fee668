import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Artifact } from '../../src/dev/contracts/artifact.ts'
import { compileSources } from '../../src/dev/contracts/compile.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'

type Compiled = Pick<Artifact, 'contractName' | 'abi' | 'bytecode'>

interface Kept {
  /** The sources that these are compiled from. */
  source: string
  contracts: Compiled[]
}

const { version: compiler } = createRequire(import.meta.url)('solc/package.json') as { version: string }

/**
 * Compiling takes seconds: the output is cached beside the source until the source or the compiler changes.
 */
export function readCompiled(file: string, names: readonly string[]): Compiled[] {
  const source = new URL(file, import.meta.url)
  const artifacts = new URL(`artifacts/${file.replace(/sol$/, 'json')}`, import.meta.url)
  const hash = keccakText(readFileSync(source, 'utf8') + names + compiler)
  try {
    const kept: Kept = JSON.parse(readFileSync(artifacts, 'utf8'))
    if (kept.source === hash) return kept.contracts
  } catch {
    // Not compiled yet.
  }
  const made = compileSources(
    [source],
    names.map((name) => [file, name]),
  )
  const contracts = made.map(({ contractName, abi, bytecode }) => ({ contractName, abi, bytecode }))
  const kept: Kept = { source: hash, contracts }
  mkdirSync(new URL('.', artifacts), { recursive: true })
  writeFileSync(artifacts, `${JSON.stringify(kept)}\n`)
  return contracts
}
