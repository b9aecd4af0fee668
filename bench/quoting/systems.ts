import path from 'node:path'
import { openEmptyDatabase } from '../database/empty.ts'
import { cache } from '../options.ts'
import type { BenchChain } from '../servers/chain.ts'
import type { ServerProcess } from '../servers/process.ts'
import { startProgram } from '../servers/program.ts'
import type { Undo } from '../setup.ts'
import type { QuotingOptions } from './options.ts'

/** A system that quotes, with its own database. */
export interface System {
  system: string
  databaseUrl: string
  start(rpcUrl: string): Promise<ServerProcess>
}

/** Prepares the program, and another checkout of it. Each is built once. */
export async function prepareSystems(
  { home, against, profile }: QuotingOptions,
  { market }: BenchChain,
  undo: Undo,
  print: (line: string) => void,
): Promise<System[]> {
  const { network, solver } = market
  const settings = { network, profile, print, env: { SOLVER_PRIVATE_KEY: solver.privateKey } }
  const build = async (system: string, name: string, source: string): Promise<System> => {
    const { url: databaseUrl, stop } = await openEmptyDatabase(home, name)
    undo.push(stop)
    const target = path.join(cache, name)
    let built = false
    const start = (rpcUrl: string) => {
      const server = startProgram({ ...settings, source, target, databaseUrl, rpcUrl, built })
      built = true
      return server
    }
    return { system, databaseUrl, start }
  }
  const systems = [await build('tradegraph', 'quotes_program', path.join(import.meta.dirname, '..', '..'))]
  if (against !== undefined) systems.push(await build('against', 'quotes_against', path.resolve(against)))
  return systems
}
