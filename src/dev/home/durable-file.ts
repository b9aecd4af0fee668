import {
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

/**
 * Whole or not at all, whatever is killed and whenever; readable by the owner only. One program writes at a time.
 * With `keepPrevious` the content that stood there so far stays under that path.
 */
export function writeDurably(path: string, content: string | Uint8Array, keepPrevious?: string): void {
  const beside = `${path}.new`
  rmSync(beside, { force: true })
  const file = openSync(beside, 'wx', 0o600)
  try {
    writeFileSync(file, content)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  if (keepPrevious !== undefined && fileExists(path)) renameSync(path, keepPrevious)
  renameSync(beside, path)
  const folder = openSync(dirname(path), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/** The JSON in a file; `undefined` when there is no such file or it is not JSON. */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

export function fileExists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}
