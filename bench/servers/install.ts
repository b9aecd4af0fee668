import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync } from 'node:fs'
import path from 'node:path'

/** Installs the packages of a peer's manifest from npm, into a separate folder. @throws when that fails */
export function install(folder: string, manifest: string): void {
  mkdirSync(folder, { recursive: true })
  copyFileSync(manifest, path.join(folder, 'package.json'))
  const flags = ['install', '--legacy-peer-deps', '--no-package-lock', '--no-audit', '--no-fund']
  const { status, stderr, error } = spawnSync('npm', flags, {
    cwd: folder,
    encoding: 'utf8',
    timeout: 300_000,
  })
  if (error) throw error
  const fault = stderr.split('\n').find((line) => line.startsWith('npm error'))
  if (status !== 0) throw new Error(fault ?? `npm ended with ${status}`)
}
