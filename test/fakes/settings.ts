import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ConfigError } from '../../src/app/config.ts'

interface TemporaryFile extends Disposable {
  /** @returns its path */
  write(text: string): string
  folder: string
}

export function temporaryFile(name: string): TemporaryFile {
  const folder = mkdtempSync(path.join(tmpdir(), 'tradegraph-config-'))
  const place = path.join(folder, name)
  return {
    folder,
    write(text) {
      writeFileSync(place, text)
      return place
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  }
}

/** The configuration errors that the operator sees. */
export function faultsOf(read: () => unknown): string[] {
  try {
    read()
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
  return []
}
