import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { accountingCsv } from '../../../src/app/commands/accounting.ts'
import type { Market } from '../../../src/dev/market/market.ts'
import { findRequest } from '../../../src/storage/auction/solver-messages.ts'
import type { Database } from '../../../src/storage/database/database.ts'
import type { Books } from './checks/accounting.ts'

export const maxWinners = 20
const root = path.join(import.meta.dirname, '..', '..', '..')
const startMs = 20_000

/** Fees of every kind that orders pay by default: half of the surplus, at most 1 % of the volume. */
export const competitionSettings = {
  FEE_POLICIES: '[{"kind":"surplus","factor":0.5,"maxVolumeFactor":0.01}]',
  // Some orders must expire within a run.
  ORDER_MIN_VALIDITY: '5',
  AUCTION_MAX_WINNERS: String(maxWinners),
  AUCTION_MAX_UNDER_WAY: '64',
}

export function booksOf(db: Database): Omit<Books, 'rpcUrl'> {
  return {
    async accounts(to) {
      const told = await accountingCsv(db, { from: '0', to: `${to}` })
      if ('fault' in told) throw new Error(told.fault)
      return told.csv
    },
    exported: (auctionId) => findRequest(db, auctionId),
  }
}

export function toSources(urls: Record<string, string>, { outsideSolvers }: Market): object[] {
  return Object.entries(urls).map(([name, url], index) => {
    const { address, privateKey } = outsideSolvers[index] ?? {}
    return name === 'driver' ? { kind: name, name, url, address } : { kind: 'engine', name, url, privateKey }
  })
}

export function toAccounts(names: readonly string[], { outsideSolvers }: Market): Record<string, string> {
  return Object.fromEntries(names.map((name, index) => [name, outsideSolvers[index]?.address ?? '']))
}

/** Starts the example engine as its users do. */
export async function startExample(): Promise<{ url: string; stop(): Promise<void> }> {
  const port = await freePort()
  const script = path.join(root, 'examples', 'solver', 'solver.ts')
  const args = ['--import', 'tsx', script, String(port)]
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const stop = async () => {
    child.kill()
    await ended
  }
  try {
    await once(child.stdout, 'data', { signal: AbortSignal.timeout(startMs) })
  } catch (error) {
    await stop()
    throw error
  }
  // Its output about each auction is not read.
  child.stdout.resume()
  return { url: `http://127.0.0.1:${port}`, stop }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}
