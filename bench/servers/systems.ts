import path from 'node:path'
import { applyMigrations } from '../../src/storage/database/migrations.ts'
import { openEmptyDatabase } from '../database/empty.ts'
import { cache, type Print, root, type Undo } from '../options.ts'
import type { BenchChain } from './chain.ts'
import type { ServerProcess } from './process.ts'
import { type ProgramOptions, startProgram } from './program.ts'

/** A system under test, with its own database. */
export interface System {
  system: string
  databaseUrl: string
  start(rpcUrl: string): Promise<ServerProcess>
}

interface SystemOptions extends Pick<ProgramOptions, 'profile' | 'env'> {
  /** The name of the suite. */
  name: string
  home: string
  against: string | undefined
}

/** Prepares the program, and another checkout of it. Each is built once. */
export async function prepareSystems(
  { name, home, against, profile, env }: SystemOptions,
  { market: { network } }: BenchChain,
  undo: Undo,
  print: Print,
): Promise<System[]> {
  const build = async (system: string, source: string): Promise<System> => {
    const { url: databaseUrl, stop } = await openEmptyDatabase(home, `${name}_${system}`)
    undo.push(stop)
    await applyMigrations(databaseUrl)
    const target = path.join(cache, `${name}_${system}`)
    let built = false
    const start = (rpcUrl: string) => {
      const server = startProgram({
        source,
        target,
        databaseUrl,
        rpcUrl,
        network,
        profile,
        env: env ?? {},
        built,
        print,
      })
      built = true
      return server
    }
    return { system, databaseUrl, start }
  }
  const systems = [await build('tradegraph', root)]
  if (against !== undefined) systems.push(await build('against', against))
  return systems
}
