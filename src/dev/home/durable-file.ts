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
 * Writes the file atomically, also if the process is killed; readable by the owner only. One program writes
 * at a time.
 * @param previousPath keeps the old content
 */
export function writeDurably(path: string, content: string | Uint8Array, previousPath?: string): void {
  const draft = `${path}.new`
  rmSync(draft, { force: true })
  const file = openSync(draft, 'wx', 0o600)
  try {
    writeFileSync(file, content)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  if (previousPath !== undefined && fileExists(path)) renameSync(path, previousPath)
  renameSync(draft, path)
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
