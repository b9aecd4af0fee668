import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Network } from '../../src/domain/network/network.ts'
import { install } from './install.ts'
import { networkText } from './network-text.ts'
import { type ServerProcess, startServer } from './process.ts'

const sources = path.join(import.meta.dirname, '..', 'fastify')
const manifest = path.join(sources, 'package.json')

/** Installs the hand-written peer's packages into `folder`, once. @throws when they cannot be installed */
export function installFastify(folder: string): void {
  const { dependencies } = JSON.parse(readFileSync(manifest, 'utf8')) as { dependencies: object }
  const here = (name: string) => existsSync(path.join(folder, 'node_modules', name, 'package.json'))
  if (!Object.keys(dependencies).every(here)) install(folder, manifest)
}

export interface FastifyOptions {
  folder: string
  databaseUrl: string
  rpcUrl: string
  network: Network
}

/** Starts the hand-written peer of order submission, with its own tables. */
export function startFastify({
  folder,
  databaseUrl,
  rpcUrl,
  network,
}: FastifyOptions): Promise<ServerProcess> {
  return startServer({
    name: 'fastify',
    args: [path.join(sources, 'server.mjs'), databaseUrl, rpcUrl, networkText(network)],
    cwd: folder,
  })
}
