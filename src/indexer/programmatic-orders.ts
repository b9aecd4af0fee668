import type { Block } from '../chain/chain.ts'
import type { ChainLog } from '../chain/logs/chain-logs.ts'
import type { ProgrammaticLog } from '../chain/logs/programmatic-logs.ts'
import { insertProgrammaticFacts, linkOlderOrders } from '../storage/chain/programmatic.ts'
import type { Tx } from '../storage/database/database.ts'

const types: readonly ChainLog['type'][] = ['creation', 'root', 'shed'] satisfies ProgrammaticLog['type'][]

export function isProgrammaticLog(log: ChainLog): log is ProgrammaticLog {
  return types.includes(log.type)
}

/**
 * Stores creations of programmatic orders, Merkle roots and proxies, and links orders of these owners that
 * are older than their links.
 * @param headers those of all blocks with a creation or a root
 */
export async function storeProgrammaticLogs(
  tx: Tx,
  chainId: number,
  logs: readonly ProgrammaticLog[],
  headers: readonly Block[],
): Promise<void> {
  const times = new Map(headers.map(({ number, timestamp }) => [number, timestamp]))
  const timed = <Log extends ProgrammaticLog>(log: Log) => ({
    ...{ ...log, blockTime: new Date((times.get(log.blockNumber) ?? 0) * 1_000) },
  })
  const creations = logs.filter((log) => log.type === 'creation').map(timed)
  await insertProgrammaticFacts(tx, chainId, {
    creations,
    roots: logs.filter((log) => log.type === 'root').map(timed),
    sheds: logs.filter((log) => log.type === 'shed'),
  })
  await linkOlderOrders(tx, chainId, [...new Set(creations.map(({ owner }) => owner))])
}
